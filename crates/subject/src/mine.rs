//! Constants in class files: what programs compare with and switch over is worth trying.

use jurat_base::FxHashSet;
use jurat_classfile::descriptor::FieldType;
use jurat_classfile::{
    Attribute, ClassFile, Code, Constant as PoolConstant, Content, Insn, InvokeDynamicIndex, LoadableIndex,
    Op,
};
use jurat_model::{Constant, JavaString, JavaType};

use crate::loader::Loader;

/// Constants in the order they were found, each once.
#[derive(Default)]
pub(crate) struct Mined {
    seen: FxHashSet<Constant>,
    list: Vec<Constant>,
    /// Whether class literals do not count: to read the classes that helpers name would lead ever further away.
    without_classes: bool,
}

impl Mined {
    /// For constants of helpers.
    pub(crate) fn without_classes() -> Self {
        Self { without_classes: true, ..Self::default() }
    }

    fn push(&mut self, constant: Constant) {
        if self.seen.insert(constant.clone()) {
            self.list.push(constant);
        }
    }

    pub(crate) fn into_list(self) -> Vec<Constant> {
        self.list
    }
}

impl Loader<'_> {
    /// Adds the constants of a method's code.
    pub(crate) fn mine_code(&mut self, file: &ClassFile, code: &Code, mined: &mut Mined) {
        for insn in &code.insns {
            match insn {
                Insn::Op(op) => small(*op).into_iter().for_each(|constant| mined.push(constant)),
                Insn::Bipush(value) => mined.push(Constant::Int(i32::from(*value))),
                Insn::Sipush(value) => mined.push(Constant::Int(i32::from(*value))),
                Insn::Ldc { constant, .. } => self.mine_loadable(file, *constant, mined),
                Insn::TableSwitch(switch) => {
                    (switch.low..).zip(&switch.targets).for_each(|(key, target)| {
                        if *target != switch.default {
                            mined.push(Constant::Int(key));
                        }
                    });
                }
                Insn::LookupSwitch(switch) => {
                    switch.pairs.iter().for_each(|(key, _)| mined.push(Constant::Int(*key)));
                }
                Insn::InvokeDynamic(site) => self.mine_site(file, *site, mined),
                _ => {}
            }
        }
    }

    /// The constants of a helper, but for classes; whoever may use them.
    pub(crate) fn mine_helper(&mut self, file: &ClassFile) -> Mined {
        let mut mined = Mined::without_classes();
        for field in &file.fields {
            self.mine_field(file, &field.attributes, &mut mined);
        }
        for code in file.methods.iter().filter_map(|method| method.code()) {
            self.mine_code(file, code, &mut mined);
        }
        mined
    }

    /// Adds the value of a constant field.
    pub(crate) fn mine_field(&mut self, file: &ClassFile, attributes: &[Attribute], mined: &mut Mined) {
        for attribute in attributes {
            if let Content::ConstantValue(value) = attribute.content {
                self.mine_loadable(file, value, mined);
            }
        }
    }

    fn mine_loadable(&mut self, file: &ClassFile, index: LoadableIndex, mined: &mut Mined) {
        match file.pool.get(index.raw()) {
            Some(PoolConstant::Integer(value)) => mined.push(Constant::Int(value)),
            Some(PoolConstant::Long(value)) => mined.push(Constant::Long(value)),
            Some(PoolConstant::Float(bits)) => mined.push(Constant::Float(bits)),
            Some(PoolConstant::Double(bits)) => mined.push(Constant::Double(bits)),
            Some(PoolConstant::String(text)) => {
                let units = jurat_classfile::mutf8::utf16(file.pool.utf8_bytes(text));
                mined.push(Constant::String(JavaString::from_units(units)));
            }
            Some(PoolConstant::Class(name)) if !mined.without_classes => {
                if let Some(ty) = self.literal_class(&file.pool.utf8(name)) {
                    mined.push(Constant::Class(ty));
                }
            }
            _ => {}
        }
    }

    /// The type of a class literal; none if its class is absent.
    fn literal_class(&mut self, name: &str) -> Option<JavaType> {
        let distance = crate::loader::MAX_DISTANCE;
        if name.starts_with('[') {
            let ty: FieldType = name.parse().ok()?;
            return self.erased(&ty, distance).ok();
        }
        self.plain(name, distance).ok()
    }

    /// Constants that a call site carries instead of the code: the text around the holes of a
    /// string concatenation, the labels of a pattern switch.
    fn mine_site(&mut self, file: &ClassFile, site: InvokeDynamicIndex, mined: &mut Mined) {
        let bootstrap = usize::from(file.pool.invoke_dynamic(site).bootstrap);
        let bootstraps = file.attributes.iter().filter_map(|attribute| match &attribute.content {
            Content::BootstrapMethods(methods) => Some(methods),
            _ => None,
        });
        let Some(method) = bootstraps.flatten().nth(bootstrap) else { return };
        match &*file.pool.handle(method.method).1.class {
            "java/lang/invoke/StringConcatFactory" => {
                for argument in &method.arguments {
                    self.mine_recipe(file, *argument, mined);
                }
            }
            "java/lang/runtime/SwitchBootstraps" => {
                for argument in &method.arguments {
                    self.mine_loadable(file, *argument, mined);
                }
            }
            _ => {}
        }
    }

    /// In a recipe, low units stand for arguments; what is between them is text.
    fn mine_recipe(&mut self, file: &ClassFile, argument: LoadableIndex, mined: &mut Mined) {
        let Some(PoolConstant::String(text)) = file.pool.get(argument.raw()) else {
            return self.mine_loadable(file, argument, mined);
        };
        let recipe = jurat_classfile::mutf8::utf16(file.pool.utf8_bytes(text));
        for piece in recipe.split(|unit| *unit <= 2).filter(|piece| !piece.is_empty()) {
            mined.push(Constant::String(JavaString::from_units(piece)));
        }
    }
}

/// Constants that instructions carry in their name.
fn small(op: Op) -> Option<Constant> {
    Some(match op {
        Op::IconstM1 => Constant::Int(-1),
        Op::Iconst0 => Constant::Int(0),
        Op::Iconst1 => Constant::Int(1),
        Op::Iconst2 => Constant::Int(2),
        Op::Iconst3 => Constant::Int(3),
        Op::Iconst4 => Constant::Int(4),
        Op::Iconst5 => Constant::Int(5),
        Op::Lconst0 => Constant::Long(0),
        Op::Lconst1 => Constant::Long(1),
        Op::Fconst0 => Constant::Float(0.0_f32.to_bits()),
        Op::Fconst1 => Constant::Float(1.0_f32.to_bits()),
        Op::Fconst2 => Constant::Float(2.0_f32.to_bits()),
        Op::Dconst0 => Constant::Double(0.0_f64.to_bits()),
        Op::Dconst1 => Constant::Double(1.0_f64.to_bits()),
        _ => return None,
    })
}
