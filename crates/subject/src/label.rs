//! How members are named in messages.

use jurat_classfile::descriptor::{FieldType, MethodType};

/// `name(int, java.lang.String)`
pub(crate) fn method(name: &str, descriptor: &str) -> String {
    match descriptor.parse::<MethodType>() {
        Ok(erased) => {
            let params: Vec<String> = erased.parameters.iter().map(type_name).collect();
            format!("{name}({})", params.join(", "))
        }
        Err(_) => format!("{name}{descriptor}"),
    }
}

fn type_name(ty: &FieldType) -> String {
    match ty {
        FieldType::Primitive(primitive) => primitive.keyword().to_owned(),
        FieldType::Object(name) => name.replace('/', "."),
        FieldType::Array(component) => format!("{}[]", type_name(component)),
    }
}
