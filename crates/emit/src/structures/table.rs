//! Parameterized tests: one row for each structure and each choice of arguments.

use std::fmt::Write as _;

use jurat_model::{JavaType, Obstacle, Primitive};

use super::fault::call;
use super::file::{File, MEMBER, capitalized, comment, param_names, statements};
use super::recipe::{Made, term_text, variable};
use super::{Case, Recipe, Structures, Table, Term};
use crate::layout::{self, BREAK};
use crate::{JavaFile, Junit};

/// Structures whose line of text is longer go by their number.
const LONGEST_NAME: usize = 40;

/// Writes tables: all into one file for JUnit 5, each into its own for JUnit 4, whose classes have one table.
pub(super) fn write(about: &Structures<'_>, tables: &[Table]) -> Result<Vec<JavaFile>, Obstacle> {
    if about.options.junit == Junit::Five {
        let what = what(about, tables.first());
        let mut writer = Writer {
            file: File::new(about, &format!("{what}Jurat"))?,
            recipes: Vec::new(),
            texts: Vec::new(),
        };
        for (position, table) in tables.iter().enumerate() {
            let name = test_name(about, tables, position);
            writer.table(table, &name)?;
        }
        return Ok(vec![writer.file.finish()]);
    }
    let mut files = Vec::new();
    for (position, table) in tables.iter().enumerate() {
        let name = test_name(about, tables, position);
        let what = if table.tried.is_some() { capitalized(&name) } else { "Structures".to_owned() };
        let mut writer = Writer {
            file: File::new(about, &format!("{what}Jurat"))?,
            recipes: Vec::new(),
            texts: Vec::new(),
        };
        let run_with = writer.file.annotation("org.junit.runner.RunWith");
        let runner = writer.file.scope.named("org.junit.runners.Parameterized");
        writer.file.annotations.push(format!("{run_with}({runner}.class)"));
        writer.table(table, &name)?;
        files.push(writer.file.finish());
    }
    Ok(files)
}

/// What the file's name says beside the class.
fn what(about: &Structures<'_>, table: Option<&Table>) -> String {
    let tried = table.and_then(|table| table.tried.as_ref());
    tried.map_or("Structures".to_owned(), |tried| capitalized(&about.subject[tried.op].name))
}

/// `add`, `addThrows`; a number where overloads would share one.
fn test_name(about: &Structures<'_>, tables: &[Table], position: usize) -> String {
    let stem = |table: &Table| match &table.tried {
        None => "isValid".to_owned(),
        Some(tried) => {
            let throws = table.cases.first().is_some_and(|case| case.threw.is_some());
            format!("{}{}", about.subject[tried.op].name, if throws { "Throws" } else { "" })
        }
    };
    let name = stem(&tables[position]);
    let before = tables[..position].iter().filter(|table| stem(table) == name).count();
    if before == 0 { name } else { format!("{name}{}", before + 1) }
}

struct Writer<'a> {
    file: File<'a>,
    /// The structures that have a method which makes them, each with its number.
    recipes: Vec<(Recipe, usize)>,
    /// The texts of all structures met so far; their positions are their numbers.
    texts: Vec<String>,
}

/// A column of a table: a parameter of the test.
struct Column {
    name: String,
    ty: String,
}

impl Writer<'_> {
    fn table(&mut self, table: &Table, name: &str) -> Result<(), Obstacle> {
        if let Some(tried) = &table.tried {
            self.file.note_method(tried);
        }
        let columns = self.columns(table)?;
        let source = format!("{name}Cases");
        let test = self.test(table, name, &source, &columns)?;
        let (rows, builders) = self.rows(table, name)?;
        let cases = self.cases(&source, &rows);
        if self.file.is_junit4() {
            self.file.member(None, cases);
            for (position, column) in columns.iter().enumerate() {
                let annotation = self.file.annotation("org.junit.runners.Parameterized.Parameter");
                let margin = " ".repeat(MEMBER);
                self.file.member(
                    None,
                    vec![
                        format!("{margin}{annotation}({position})"),
                        format!("{margin}public {} {};", column.ty, column.name),
                    ],
                );
            }
            self.file.member(Some(name.to_owned()), test);
        } else {
            self.file.member(Some(name.to_owned()), test);
            self.file.member(None, cases);
        }
        for builder in builders {
            self.file.member(None, builder);
        }
        Ok(())
    }

    /// What the structure is, the structure itself, the arguments, the result, and the state afterwards.
    fn columns(&mut self, table: &Table) -> Result<Vec<Column>, Obstacle> {
        let about = self.file.about;
        let (subject, scope) = (about.subject, &mut self.file.scope);
        let root = variable(&subject[about.root].simple_name);
        let string = scope.named("java.lang.String");
        let mut columns = vec![
            Column { name: "structure".to_owned(), ty: string },
            Column { name: root.clone(), ty: scope.class_text(about.root)? },
        ];
        let mut erased = |ty: &JavaType| scope.type_text(&subject.classes().erasure(ty));
        if let Some(tried) = &table.tried {
            let operation = &subject[tried.op];
            let names = param_names(subject, tried, &root);
            for (position, (param, name)) in operation.params.iter().zip(names).enumerate() {
                if tried.at != Some(position) {
                    columns.push(Column { name, ty: erased(param)? });
                }
            }
            if table.asserts_result {
                columns.push(Column { name: "expected".to_owned(), ty: erased(&operation.result)? });
            }
        }
        for observer in &table.observers {
            let operation = &subject[*observer];
            let name = format!("{}After", operation.name);
            columns.push(Column { name, ty: erased(&operation.result)? });
        }
        if table.cases.first().is_some_and(|case| case.threw.is_some()) {
            let (class, throwable) = (scope.named("java.lang.Class"), scope.named("java.lang.Throwable"));
            columns.push(Column { name: "thrown".to_owned(), ty: format!("{class}<? extends {throwable}>") });
        }
        for position in 1..columns.len() {
            let taken = columns[..position].iter().any(|column| column.name == columns[position].name);
            if taken {
                columns[position].name += "Too";
            }
        }
        Ok(columns)
    }

    fn test(
        &mut self,
        table: &Table,
        name: &str,
        source: &str,
        columns: &[Column],
    ) -> Result<Vec<String>, Obstacle> {
        let file = &mut self.file;
        let subject = file.about.subject;
        let root = &columns[1].name;
        let mut body = Vec::new();
        let mut throws = false;
        let mut next = 2;
        if let Some(tried) = &table.tried {
            let operation = &subject[tried.op];
            let count = operation.params.len() - usize::from(tried.at.is_some());
            let args: Vec<String> = columns[2..2 + count].iter().map(|column| column.name.clone()).collect();
            next += count;
            throws |= !operation.throws.is_empty();
            let call = call(file, tried, root, &args)?;
            if columns.last().is_some_and(|column| column.name.starts_with("thrown")) {
                let thrown = &columns[columns.len() - 1].name;
                body.push(format!("{}({thrown}, {BREAK}() -> {call});", file.assertion("assertThrows")));
            } else if table.asserts_result {
                body.push(equal(file, &columns[next].name, &call, &operation.result));
                next += 1;
            } else {
                body.push(format!("{call};"));
            }
            body.push(String::new());
        }
        let (holds, declared) = file.holds(root);
        throws |= declared;
        body.push(format!("{}({holds});", file.assertion("assertTrue")));
        for (observer, column) in table.observers.iter().zip(&columns[next..]) {
            let operation = &subject[*observer];
            let actual = format!("{root}.{}()", operation.name);
            body.push(equal(file, &column.name, &actual, &operation.result));
        }
        Ok(self.method(name, source, columns, &body, throws))
    }

    /// The header of the test, and its body.
    fn method(
        &mut self,
        name: &str,
        source: &str,
        columns: &[Column],
        body: &[String],
        throws: bool,
    ) -> Vec<String> {
        let file = &mut self.file;
        let margin = " ".repeat(MEMBER);
        let declared = if throws {
            format!(" throws {}", file.scope.named("java.lang.Exception"))
        } else {
            String::new()
        };
        let mut lines = Vec::new();
        if file.is_junit4() {
            lines.push(format!("{margin}{}", file.annotation("org.junit.Test")));
            lines.push(format!("{margin}public void {name}(){declared} {{"));
        } else {
            let test = file.annotation("org.junit.jupiter.params.ParameterizedTest");
            let method_source = file.annotation("org.junit.jupiter.params.provider.MethodSource");
            lines.push(format!("{margin}{test}(name = \"{}\")", display_name(columns)));
            lines.push(format!("{margin}{method_source}(\"{source}\")"));
            let params: Vec<String> =
                columns.iter().map(|column| format!("{BREAK}{} {}", column.ty, column.name)).collect();
            let header = format!("void {name}({}){declared} {{", params.join(", "));
            lines.extend(layout::lines(&header, MEMBER));
        }
        lines.extend(statements(body));
        lines.push(format!("{margin}}}"));
        lines
    }

    /// The rows, and the methods that make what they hold.
    fn rows(&mut self, table: &Table, name: &str) -> Result<(Vec<String>, Vec<Vec<String>>), Obstacle> {
        let (mut rows, mut builders) = (Vec::new(), Vec::new());
        for case in &table.cases {
            let cells = if case.args.iter().any(|arg| matches!(arg, Term::Made(_))) {
                // The arguments are objects of the structure, so both are made together.
                let method = format!("{name}Case{}", rows.len() + 1);
                builders.push(self.row_builder(case, &method)?);
                vec![format!("{method}()")]
            } else {
                let number = self.number(case);
                if self.recipes.iter().all(|(known, _)| *known != case.recipe) {
                    self.recipes.push((case.recipe.clone(), number));
                    builders.push(self.builder(&case.recipe, number)?);
                }
                let mut cells = vec![title(case, number), format!("structure{}()", number + 1)];
                cells.extend(self.cells(case, &[])?);
                cells
            };
            rows.push(self.row(&cells));
        }
        Ok((rows, builders))
    }

    /// The number of a case's structure.
    fn number(&mut self, case: &Case) -> usize {
        let text = &case.recipe.text;
        self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        })
    }

    /// The cells after the structure.
    fn cells(&mut self, case: &Case, names: &[String]) -> Result<Vec<String>, Obstacle> {
        let (subject, scope) = (self.file.about.subject, &mut self.file.scope);
        let mut cells = Vec::new();
        for value in case.args.iter().chain(&case.gave).chain(&case.states) {
            cells.push(term_text(subject, scope, value, names)?);
        }
        if let Some(class) = case.threw {
            cells.push(format!("{}.class", scope.class_text(class)?));
        }
        Ok(cells)
    }

    fn row(&mut self, cells: &[String]) -> String {
        if let [made] = cells {
            return made.clone();
        }
        let cells = cells.join(&format!(", {BREAK}"));
        if self.file.is_junit4() {
            return format!("{{{cells}}}");
        }
        self.file.import_static("org.junit.jupiter.params.provider.Arguments", "arguments");
        format!("arguments({BREAK}{cells})")
    }

    /// The method that gives all rows.
    fn cases(&mut self, source: &str, rows: &[String]) -> Vec<String> {
        let junit4 = self.file.is_junit4();
        let mut named = |class: &str| self.file.scope.named(class);
        let throws = named("java.lang.Exception");
        let margin = " ".repeat(MEMBER);
        let (mut lines, header, open, close) = if junit4 {
            let (list, object) = (named("java.util.List"), named("java.lang.Object"));
            let arrays = named("java.util.Arrays");
            let parameters = named("org.junit.runners.Parameterized.Parameters");
            (
                vec![format!("{margin}@{parameters}(name = \"{{0}}\")")],
                format!("public static {list}<{object}[]> cases() throws {throws} {{"),
                format!("return {arrays}.asList(new {object}[][] {{"),
                "});",
            )
        } else {
            let (stream, arguments) =
                (named("java.util.stream.Stream"), named("org.junit.jupiter.params.provider.Arguments"));
            (
                Vec::new(),
                format!("static {stream}<{arguments}> {source}() throws {throws} {{"),
                format!("return {stream}.of("),
                ");",
            )
        };
        lines.push(format!("{margin}{header}"));
        lines.push(format!("{margin}{margin}{open}"));
        for (position, row) in rows.iter().enumerate() {
            let end = match (position + 1 < rows.len(), junit4) {
                (true, _) => ",",
                (false, true) => "",
                (false, false) => close,
            };
            lines.extend(layout::lines(&format!("{row}{end}"), 4 * MEMBER));
        }
        if junit4 {
            lines.push(format!("{margin}{margin}{close}"));
        }
        lines.push(format!("{margin}}}"));
        lines
    }

    /// A method that makes one structure.
    fn builder(&mut self, recipe: &Recipe, number: usize) -> Result<Vec<String>, Obstacle> {
        let made = self.file.recipe(recipe)?;
        let ty = self.file.scope.class_text(self.file.about.root)?;
        let header = format!("private static {ty} structure{}()", number + 1);
        let root = made.names[recipe.root].clone();
        Ok(self.maker(recipe, &made, &header, &root))
    }

    /// A method that makes a whole row.
    fn row_builder(&mut self, case: &Case, method: &str) -> Result<Vec<String>, Obstacle> {
        let made = self.file.recipe(&case.recipe)?;
        let number = self.number(case);
        let mut cells = vec![title(case, number), made.names[case.recipe.root].clone()];
        cells.extend(self.cells(case, &made.names)?);
        let (ty, row) = if self.file.is_junit4() {
            let object = self.file.scope.named("java.lang.Object");
            (format!("{object}[]"), format!("new {object}[] {}", self.row(&cells)))
        } else {
            (self.file.scope.named("org.junit.jupiter.params.provider.Arguments"), self.row(&cells))
        };
        Ok(self.maker(&case.recipe, &made, &format!("private static {ty} {method}()"), &row))
    }

    fn maker(&mut self, recipe: &Recipe, made: &Made, header: &str, result: &str) -> Vec<String> {
        let margin = " ".repeat(MEMBER);
        let declared = if made.throws {
            format!(" throws {}", self.file.scope.named("java.lang.Exception"))
        } else {
            String::new()
        };
        let mut lines = vec![comment(&recipe.text), format!("{margin}{header}{declared} {{")];
        lines.extend(statements(&made.lines));
        lines.extend(statements(&[format!("return {result};")]));
        lines.push(format!("{margin}}}"));
        lines
    }
}

/// What a row is called: the structure's line of text if it is short.
fn title(case: &Case, number: usize) -> String {
    let text = &case.recipe.text;
    let plain = text.len() <= LONGEST_NAME && text.chars().all(|letter| matches!(letter, ' '..='~'));
    if plain {
        // JUnit 4 takes names for patterns of `MessageFormat` no further than the braces it is given.
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        format!("\"structure {}\"", number + 1)
    }
}

/// `{0}, key = {2}`: the structure and the arguments.
fn display_name(columns: &[Column]) -> String {
    let known = ["expected", "thrown"];
    let args = columns
        .iter()
        .enumerate()
        .skip(2)
        .filter(|(_, column)| !known.contains(&column.name.as_str()) && !column.name.ends_with("After"));
    let mut name = "{0}".to_owned();
    for (position, column) in args {
        let _ = write!(name, ", {} = {{{position}}}", column.name);
    }
    name
}

/// The assertion that two values are equal; JUnit 4 wants to know how nearly.
fn equal(file: &mut File<'_>, expected: &str, actual: &str, ty: &JavaType) -> String {
    let delta = match ty {
        JavaType::Primitive(Primitive::Double) if file.is_junit4() => ", 0.0",
        JavaType::Primitive(Primitive::Float) if file.is_junit4() => ", 0.0f",
        _ => "",
    };
    format!("{}({BREAK}{expected}, {BREAK}{actual}{delta});", file.assertion("assertEquals"))
}
