//! Typed indices, so that an index into one table cannot be used on another.

/// Declares a `u32` index type with conversions to and from `usize`.
///
/// ```
/// jurat_base::typed_id! {
///     /// Position of a class in its table.
///     pub ClassId
/// }
/// assert_eq!(ClassId::from_index(3).index(), 3);
/// ```
#[macro_export]
macro_rules! typed_id {
    ($(#[$meta:meta])* $vis:vis $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(pub u32);

        impl $name {
            /// The id at this position of its table.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables hold fewer than 2^32 entries"))
            }

            /// The position in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
