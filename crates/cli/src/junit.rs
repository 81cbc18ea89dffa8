//! Where to look for JUnit when the user's class path has none.

use std::path::PathBuf;

use jurat_validate::JUnitSearch;

/// The user's Maven repository; the folder `JURAT_JARS` names, or `.jurat/jars`, which `make setup` fills, in or
/// above the current folder and the program's own.
pub(crate) fn search_from_env() -> JUnitSearch {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    let projects = starts.iter().flatten().flat_map(|start| start.ancestors());
    let set_up = projects.map(|project| project.join(".jurat/jars")).filter(|folder| folder.is_dir());
    JUnitSearch {
        on_class_path: false,
        repositories: variable("HOME").into_iter().map(|home| home.join(".m2/repository")).collect(),
        folders: variable("JURAT_JARS").into_iter().chain(set_up).collect(),
    }
}
