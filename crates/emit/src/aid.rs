//! Small methods of our own that a test class ends with: what private members and mocks need.

use jurat_model::NameScope;

use crate::Junit;

/// How far members of the class are indented.
const MEMBER: &str = "    ";

/// One of them. Their order is the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aid {
    /// Finds a private method.
    Method,
    /// Calls it.
    Call,
    /// Finds a private constructor.
    Constructor,
    /// Calls it.
    Create,
    /// Finds a private field.
    Field,
    /// Sets a static one until the test ends.
    Lend,
    /// Answers what a test did not plan, and skips it.
    Unplanned,
    /// Gives what a call throws.
    ThrownBy,
}

impl Aid {
    /// Its lines, and the names it needs in scope.
    pub(crate) fn lines(self, scope: &mut NameScope<'_>, junit: Junit) -> Vec<String> {
        let mut words = Words { scope, junit };
        let text = match self {
            Self::Method => words.finder("Method", "method", "Method", true),
            Self::Constructor => words.finder("Constructor", "constructor", "Method", false),
            Self::Field => words.finder("Field", "field", "Field", true),
            Self::Lend => words.lend(),
            Self::Call => words.call(),
            Self::Create => words.create(),
            Self::Unplanned => words.unplanned(),
            Self::ThrownBy => words.thrown_by(),
        };
        let indented = |line: &str| if line.is_empty() { String::new() } else { format!("{MEMBER}{line}") };
        text.lines().map(indented).collect()
    }
}

struct Words<'w, 's> {
    scope: &'w mut NameScope<'s>,
    junit: Junit,
}

impl Words<'_, '_> {
    fn lang(&mut self, name: &str) -> String {
        self.scope.named(&format!("java.lang.{name}"))
    }

    fn reflect(&mut self, name: &str) -> String {
        self.scope.named(&format!("java.lang.reflect.{name}"))
    }

    /// The exception that skips a test.
    fn aborted(&mut self) -> String {
        self.scope.named(match self.junit {
            Junit::Five => "org.opentest4j.TestAbortedException",
            Junit::Four => "org.junit.AssumptionViolatedException",
        })
    }

    /// A method that finds a member; constructors have no name, and fields no parameters.
    fn finder(&mut self, kind: &str, word: &str, missing: &str, is_named: bool) -> String {
        let (class, string, member) = (self.lang("Class"), self.lang("String"), self.reflect(kind));
        let (gone, aborted) = (self.lang(&format!("NoSuch{missing}Exception")), self.aborted());
        let (declared, passed) = match (is_named, kind) {
            (_, "Field") => (format!("{class}<?> owner, {string} name"), "name"),
            (true, _) => (format!("{class}<?> owner, {string} name, {class}<?>... types"), "name, types"),
            (false, _) => (format!("{class}<T> owner, {class}<?>... types"), "types"),
        };
        let (generic, member) =
            if is_named { (String::new(), member) } else { ("<T> ".to_owned(), format!("{member}<T>")) };
        format!(
            "/** A private {word}; the test is skipped if it is gone. */
private static {generic}{member} {word}({declared}) {{
    try {{
        {member} {word} = owner.getDeclared{kind}({passed});
        {word}.setAccessible(true);
        return {word};
    }} catch ({gone} gone) {{
        throw new {aborted}(gone.toString());
    }}
}}"
        )
    }

    fn call(&mut self) -> String {
        let (object, throwable) = (self.lang("Object"), self.lang("Throwable"));
        let (method, wrapped) = (self.reflect("Method"), self.reflect("InvocationTargetException"));
        format!(
            "/** Calls a method, and throws what it throws. */
private static {object} call({method} method, {object} receiver, {object}... arguments) throws {throwable} {{
    try {{
        return method.invoke(receiver, arguments);
    }} catch ({wrapped} thrown) {{
        throw thrown.getCause();
    }}
}}"
        )
    }

    /// What a test calls after it lent a field may write to the other static variables of the class.
    fn lend(&mut self) -> String {
        let (class, string, object) = (self.lang("Class"), self.lang("String"), self.lang("Object"));
        let (field, denied) = (self.reflect("Field"), self.lang("IllegalAccessException"));
        let modifier = self.reflect("Modifier");
        let (map, linked) = (self.scope.named("java.util.Map"), self.scope.named("java.util.LinkedHashMap"));
        let (after, public) = match self.junit {
            Junit::Five => (self.scope.named("org.junit.jupiter.api.AfterEach"), ""),
            Junit::Four => (self.scope.named("org.junit.After"), "public "),
        };
        format!(
            "private final {map}<{field}, {object}> former = new {linked}<>();

/**
 * Sets a private static field; the test is skipped if it is gone. After the test the static
 * variables of the class hold what they held before.
 */
private void lend({class}<?> owner, {string} name, {object} value) throws {denied} {{
    {field} lent = field(owner, name);
    for ({field} field : owner.getDeclaredFields()) {{
        boolean mayChange =
                {modifier}.isStatic(field.getModifiers()) && !{modifier}.isFinal(field.getModifiers());
        if (mayChange && !former.containsKey(field)) {{
            field.setAccessible(true);
            former.put(field, field.get(null));
        }}
    }}
    lent.set(null, value);
}}

@{after}
{public}void putBack() throws {denied} {{
    for ({map}.Entry<{field}, {object}> entry : former.entrySet()) {{
        entry.getKey().set(null, entry.getValue());
    }}
    former.clear();
}}"
        )
    }

    fn create(&mut self) -> String {
        let (object, throwable) = (self.lang("Object"), self.lang("Throwable"));
        let (constructor, wrapped) = (self.reflect("Constructor"), self.reflect("InvocationTargetException"));
        format!(
            "/** Calls a constructor, and throws what it throws. */
private static <T> T create({constructor}<T> constructor, {object}... arguments) throws {throwable} {{
    try {{
        return constructor.newInstance(arguments);
    }} catch ({wrapped} thrown) {{
        throw thrown.getCause();
    }}
}}"
        )
    }

    fn unplanned(&mut self) -> String {
        let (object, aborted) = (self.lang("Object"), self.aborted());
        let asked = self.scope.named("org.mockito.invocation.InvocationOnMock");
        let (method, skipping) = (self.reflect("Method"), self.skipping());
        format!(
            "private {aborted} unplanned;

/** The answer of mocks to what a test did not plan: the test is skipped. */
private {object} unplanned({asked} asked) {{
    {method} method = asked.getMethod();
    if (method.getName().equals(\"toString\") && method.getParameterCount() == 0) {{
        return \"a mock\";
    }}
    if (method.getReturnType() != void.class) {{
        unplanned = new {aborted}(\"not planned: \" + method);
        throw unplanned;
    }}
    return null;
}}

/** Skips the test if a mock was asked what it did not plan, also if nobody noticed. */
private void assumePlanned() {{
    {aborted} found = unplanned;
    unplanned = null;
    if (found != null) {{
        throw found;
    }}
}}

{skipping}"
        )
    }

    /// What skips a test also if the class under test makes an exception of its own of what a mock throws.
    fn skipping(&mut self) -> String {
        let text = "/** Skips the test as well if it fails because of that. */";
        match self.junit {
            Junit::Five => {
                let registered = self.scope.named("org.junit.jupiter.api.extension.RegisterExtension");
                let handler =
                    self.scope.named("org.junit.jupiter.api.extension.TestExecutionExceptionHandler");
                format!(
                    "{text}
@{registered}
final {handler} skipUnplanned = (context, thrown) -> {{
    assumePlanned();
    throw thrown;
}};"
                )
            }
            Junit::Four => {
                let (rule, kind) =
                    (self.scope.named("org.junit.Rule"), self.scope.named("org.junit.rules.TestRule"));
                let statement = self.scope.named("org.junit.runners.model.Statement");
                let (over, throwable) = (self.lang("Override"), self.lang("Throwable"));
                format!(
                    "{text}
@{rule}
public final {kind} skipUnplanned = (test, description) -> new {statement}() {{
    @{over}
    public void evaluate() throws {throwable} {{
        try {{
            test.evaluate();
        }} finally {{
            assumePlanned();
        }}
    }}
}};"
                )
            }
        }
    }

    fn thrown_by(&mut self) -> String {
        let throwable = self.lang("Throwable");
        let (action, run) = match self.junit {
            Junit::Five => ("org.junit.jupiter.api.function.Executable", "execute"),
            Junit::Four => ("org.junit.function.ThrowingRunnable", "run"),
        };
        let action = self.scope.named(action);
        format!(
            "/** What an action throws; null if it throws nothing. */
private static {throwable} thrownBy({action} action) {{
    try {{
        action.{run}();
        return null;
    }} catch ({throwable} thrown) {{
        return thrown;
    }}
}}"
        )
    }
}
