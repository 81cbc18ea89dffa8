//! Finds classes in folders, jars and the JDK's own module image.
