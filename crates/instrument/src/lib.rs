//! Splices probes into class files: (`ClassFile`, `ProbePlan`) to (`ClassFile`, `ProbeMap`).
