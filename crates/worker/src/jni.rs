//! A thin wrapper around the JNI function table: no checks, no allocation, one function per need.
//!
//! The functions are safe to *call* only under a contract the whole crate keeps: an [`Env`] is used on the
//! thread it belongs to, a [`Ref`] is used while its local frame is open or its global reference is alive, and
//! an [`Id`] goes with the class it was looked up in. References enter the crate only through this file.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use jvmti_bindings::sys::jni as sys;
use sys::{JNIEnv, jvalue};

/// A local or global reference, or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ref(sys::jobject);

// SAFETY: only global references are stored where other threads can see them, and those belong to no thread.
unsafe impl Send for Ref {}
// SAFETY: as above; a reference is a plain number to us.
unsafe impl Sync for Ref {}

impl Ref {
    /// `null`.
    pub(crate) const NULL: Self = Self(null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Where the object of a *local* reference is now. Two references to one object have the same, as long as the
    /// collector does not run; what HotSpot's local references are made of is checked when a worker starts.
    pub(crate) fn address(self) -> usize {
        // SAFETY: a local reference points to a slot that holds the object's address, which is only read as a number.
        unsafe { *self.0.cast::<usize>() }
    }

    /// The reference as JVMTI and native callbacks see it.
    pub(crate) fn raw(self) -> sys::jobject {
        self.0
    }

    /// A reference that JVMTI or a native callback handed over.
    pub(crate) fn from_raw(raw: sys::jobject) -> Self {
        Self(raw)
    }

    /// The reference, unless it is null.
    pub(crate) fn some(self) -> Option<Self> {
        (!self.is_null()).then_some(self)
    }
}

/// A method or field id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id(*mut c_void);

// SAFETY: ids are plain numbers, valid on every thread while their class is alive.
unsafe impl Send for Id {}
// SAFETY: as above.
unsafe impl Sync for Id {}

impl Id {
    pub(crate) fn from_raw(raw: *mut c_void) -> Self {
        Self(raw)
    }
}

/// The sort of a value, as a descriptor's first letter tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Void,
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Object,
}

impl Kind {
    /// The kind of values with this descriptor.
    pub(crate) fn of(descriptor: &str) -> Option<Self> {
        Some(match descriptor.as_bytes().first()? {
            b'V' => Self::Void,
            b'Z' => Self::Boolean,
            b'B' => Self::Byte,
            b'C' => Self::Char,
            b'S' => Self::Short,
            b'I' => Self::Int,
            b'J' => Self::Long,
            b'F' => Self::Float,
            b'D' => Self::Double,
            b'L' | b'[' => Self::Object,
            _ => return None,
        })
    }
}

/// One value of any kind, as JNI passes it; the kind is known from elsewhere.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Raw(jvalue);

impl Raw {
    pub(crate) const ZERO: Self = Self(jvalue { j: 0 });

    pub(crate) fn object(value: Ref) -> Self {
        Self(jvalue { l: value.0 })
    }

    pub(crate) fn int(value: i32) -> Self {
        let mut raw = Self::ZERO;
        raw.0.i = value;
        raw
    }

    pub(crate) fn long(value: i64) -> Self {
        Self(jvalue { j: value })
    }

    /// The reference inside; only for values of kind object.
    pub(crate) fn as_ref(self) -> Ref {
        // SAFETY: every bit pattern is a pointer value, and all eight bytes are always initialised.
        Ref(unsafe { self.0.l })
    }

    /// All eight bytes; narrower kinds sit in the lowest ones.
    pub(crate) fn bits(self) -> u64 {
        // SAFETY: all eight bytes are always initialised, as every constructor starts from zero.
        unsafe { self.0.j.cast_unsigned() }
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(jvalue { j: bits.cast_signed() })
    }
}

/// The JNI function table of the current thread.
#[derive(Clone, Copy)]
pub(crate) struct Env {
    raw: *mut JNIEnv,
}

/// Calls through the function table.
macro_rules! jni {
    ($env:expr, $name:ident $(, $argument:expr)*) => {{
        let raw = $env.raw;
        // SAFETY: the contract of this file: the table belongs to this thread, references and ids are alive,
        // and kinds of arguments fit the member, which its descriptor decided.
        unsafe { ((**raw).$name)(raw $(, $argument)*) }
    }};
}

/// Chooses one function of a family by the kind of the result.
macro_rules! by_kind {
    ($env:expr, $kind:expr, $arguments:tt, $void:ident, $boolean:ident, $byte:ident, $char:ident, $short:ident,
     $int:ident, $long:ident, $float:ident, $double:ident, $object:ident) => {
        match $kind {
            Kind::Void => {
                by_kind!(@ $env, $void, $arguments);
                Raw::ZERO
            }
            Kind::Boolean => Raw::from_bits(u64::from(by_kind!(@ $env, $boolean, $arguments))),
            Kind::Byte => Raw::from_bits(u64::from(by_kind!(@ $env, $byte, $arguments).cast_unsigned())),
            Kind::Char => Raw::from_bits(u64::from(by_kind!(@ $env, $char, $arguments))),
            Kind::Short => Raw::from_bits(u64::from(by_kind!(@ $env, $short, $arguments).cast_unsigned())),
            Kind::Int => Raw::int(by_kind!(@ $env, $int, $arguments)),
            Kind::Long => Raw::long(by_kind!(@ $env, $long, $arguments)),
            Kind::Float => Raw::from_bits(u64::from(by_kind!(@ $env, $float, $arguments).to_bits())),
            Kind::Double => Raw::from_bits(by_kind!(@ $env, $double, $arguments).to_bits()),
            Kind::Object => Raw::object(Ref(by_kind!(@ $env, $object, $arguments))),
        }
    };
    (@ $env:expr, $name:ident, ($($argument:expr),*)) => { jni!($env, $name $(, $argument)*) };
}

impl Env {
    pub(crate) fn from_raw(raw: *mut JNIEnv) -> Self {
        Self { raw }
    }

    /// Whether an exception is pending.
    pub(crate) fn threw(self) -> bool {
        jni!(self, ExceptionCheck) != 0
    }

    /// Takes the pending exception, if there is one.
    pub(crate) fn take_exception(self) -> Option<Ref> {
        let thrown = Ref(jni!(self, ExceptionOccurred)).some()?;
        jni!(self, ExceptionClear);
        Some(thrown)
    }

    pub(crate) fn clear_exception(self) {
        jni!(self, ExceptionClear);
    }

    pub(crate) fn throw(self, exception: Ref) {
        jni!(self, Throw, exception.0);
    }

    /// Makes room for local references; false when there is no memory.
    pub(crate) fn push_frame(self, capacity: usize) -> bool {
        let capacity = i32::try_from(capacity).unwrap_or(i32::MAX);
        jni!(self, PushLocalFrame, capacity) == sys::JNI_OK
    }

    /// Frees the local references made since the matching push, except `result`.
    pub(crate) fn pop_frame(self, result: Ref) -> Ref {
        Ref(jni!(self, PopLocalFrame, result.0))
    }

    pub(crate) fn delete_local(self, reference: Ref) {
        jni!(self, DeleteLocalRef, reference.0);
    }

    pub(crate) fn new_local(self, reference: Ref) -> Ref {
        Ref(jni!(self, NewLocalRef, reference.0))
    }

    pub(crate) fn new_global(self, reference: Ref) -> Ref {
        Ref(jni!(self, NewGlobalRef, reference.0))
    }

    pub(crate) fn delete_global(self, reference: Ref) {
        jni!(self, DeleteGlobalRef, reference.0);
    }

    pub(crate) fn same(self, left: Ref, right: Ref) -> bool {
        jni!(self, IsSameObject, left.0, right.0) != 0
    }

    pub(crate) fn instance_of(self, object: Ref, class: Ref) -> bool {
        jni!(self, IsInstanceOf, object.0, class.0) != 0
    }

    /// Whether values of class `sub` can be used as `sup`.
    pub(crate) fn assignable(self, sub: Ref, sup: Ref) -> bool {
        jni!(self, IsAssignableFrom, sub.0, sup.0) != 0
    }

    /// Finds a class of the JDK.
    pub(crate) fn find_class(self, name: &CStr) -> Option<Ref> {
        Ref(jni!(self, FindClass, name.as_ptr())).some()
    }

    /// Defines a class; `Ref::NULL` is the boot loader.
    pub(crate) fn define_class(self, name: &CStr, loader: Ref, bytes: &[u8]) -> Option<Ref> {
        let length = i32::try_from(bytes.len()).ok()?;
        Ref(jni!(self, DefineClass, name.as_ptr(), loader.0, bytes.as_ptr().cast(), length)).some()
    }

    pub(crate) fn class_of(self, object: Ref) -> Ref {
        Ref(jni!(self, GetObjectClass, object.0))
    }

    pub(crate) fn superclass(self, class: Ref) -> Option<Ref> {
        Ref(jni!(self, GetSuperclass, class.0)).some()
    }

    pub(crate) fn method(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<Id> {
        let id = jni!(self, GetMethodID, class.0, name.as_ptr(), descriptor.as_ptr());
        (!id.is_null()).then_some(Id(id))
    }

    pub(crate) fn static_method(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<Id> {
        let id = jni!(self, GetStaticMethodID, class.0, name.as_ptr(), descriptor.as_ptr());
        (!id.is_null()).then_some(Id(id))
    }

    pub(crate) fn field(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<Id> {
        let id = jni!(self, GetFieldID, class.0, name.as_ptr(), descriptor.as_ptr());
        (!id.is_null()).then_some(Id(id))
    }

    pub(crate) fn static_field(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<Id> {
        let id = jni!(self, GetStaticFieldID, class.0, name.as_ptr(), descriptor.as_ptr());
        (!id.is_null()).then_some(Id(id))
    }

    /// An object without running a constructor.
    pub(crate) fn alloc(self, class: Ref) -> Ref {
        Ref(jni!(self, AllocObject, class.0))
    }

    pub(crate) fn new_object(self, class: Ref, constructor: Id, arguments: &[Raw]) -> Ref {
        Ref(jni!(self, NewObjectA, class.0, constructor.0, arguments.as_ptr().cast()))
    }

    pub(crate) fn call_static(self, kind: Kind, class: Ref, method: Id, arguments: &[Raw]) -> Raw {
        let arguments = arguments.as_ptr().cast::<jvalue>();
        by_kind!(
            self,
            kind,
            (class.0, method.0, arguments),
            CallStaticVoidMethodA,
            CallStaticBooleanMethodA,
            CallStaticByteMethodA,
            CallStaticCharMethodA,
            CallStaticShortMethodA,
            CallStaticIntMethodA,
            CallStaticLongMethodA,
            CallStaticFloatMethodA,
            CallStaticDoubleMethodA,
            CallStaticObjectMethodA
        )
    }

    pub(crate) fn call(self, kind: Kind, object: Ref, method: Id, arguments: &[Raw]) -> Raw {
        let arguments = arguments.as_ptr().cast::<jvalue>();
        by_kind!(
            self,
            kind,
            (object.0, method.0, arguments),
            CallVoidMethodA,
            CallBooleanMethodA,
            CallByteMethodA,
            CallCharMethodA,
            CallShortMethodA,
            CallIntMethodA,
            CallLongMethodA,
            CallFloatMethodA,
            CallDoubleMethodA,
            CallObjectMethodA
        )
    }

    /// Calls the implementation that `class` has, whatever the object's own class.
    pub(crate) fn call_special(
        self,
        kind: Kind,
        object: Ref,
        class: Ref,
        method: Id,
        arguments: &[Raw],
    ) -> Raw {
        let arguments = arguments.as_ptr().cast::<jvalue>();
        by_kind!(
            self,
            kind,
            (object.0, class.0, method.0, arguments),
            CallNonvirtualVoidMethodA,
            CallNonvirtualBooleanMethodA,
            CallNonvirtualByteMethodA,
            CallNonvirtualCharMethodA,
            CallNonvirtualShortMethodA,
            CallNonvirtualIntMethodA,
            CallNonvirtualLongMethodA,
            CallNonvirtualFloatMethodA,
            CallNonvirtualDoubleMethodA,
            CallNonvirtualObjectMethodA
        )
    }

    pub(crate) fn get(self, kind: Kind, object: Ref, field: Id) -> Raw {
        by_kind!(
            self,
            kind,
            (object.0, field.0),
            GetIntField,
            GetBooleanField,
            GetByteField,
            GetCharField,
            GetShortField,
            GetIntField,
            GetLongField,
            GetFloatField,
            GetDoubleField,
            GetObjectField
        )
    }

    pub(crate) fn get_static(self, kind: Kind, class: Ref, field: Id) -> Raw {
        by_kind!(
            self,
            kind,
            (class.0, field.0),
            GetStaticIntField,
            GetStaticBooleanField,
            GetStaticByteField,
            GetStaticCharField,
            GetStaticShortField,
            GetStaticIntField,
            GetStaticLongField,
            GetStaticFloatField,
            GetStaticDoubleField,
            GetStaticObjectField
        )
    }

    pub(crate) fn set(self, kind: Kind, object: Ref, field: Id, value: Raw) {
        let (object, field, value) = (object.0, field.0, value.0);
        // SAFETY (for the union reads): all eight bytes are initialised, and the kind is that of the field.
        match kind {
            Kind::Void => {}
            Kind::Boolean => jni!(self, SetBooleanField, object, field, value.z),
            Kind::Byte => jni!(self, SetByteField, object, field, value.b),
            Kind::Char => jni!(self, SetCharField, object, field, value.c),
            Kind::Short => jni!(self, SetShortField, object, field, value.s),
            Kind::Int => jni!(self, SetIntField, object, field, value.i),
            Kind::Long => jni!(self, SetLongField, object, field, value.j),
            Kind::Float => jni!(self, SetFloatField, object, field, value.f),
            Kind::Double => jni!(self, SetDoubleField, object, field, value.d),
            Kind::Object => jni!(self, SetObjectField, object, field, value.l),
        }
    }

    pub(crate) fn set_static(self, kind: Kind, class: Ref, field: Id, value: Raw) {
        let (class, field, value) = (class.0, field.0, value.0);
        // SAFETY (for the union reads): all eight bytes are initialised, and the kind is that of the field.
        match kind {
            Kind::Void => {}
            Kind::Boolean => jni!(self, SetStaticBooleanField, class, field, value.z),
            Kind::Byte => jni!(self, SetStaticByteField, class, field, value.b),
            Kind::Char => jni!(self, SetStaticCharField, class, field, value.c),
            Kind::Short => jni!(self, SetStaticShortField, class, field, value.s),
            Kind::Int => jni!(self, SetStaticIntField, class, field, value.i),
            Kind::Long => jni!(self, SetStaticLongField, class, field, value.j),
            Kind::Float => jni!(self, SetStaticFloatField, class, field, value.f),
            Kind::Double => jni!(self, SetStaticDoubleField, class, field, value.d),
            Kind::Object => jni!(self, SetStaticObjectField, class, field, value.l),
        }
    }

    /// A string; null, with an exception pending, when there is no memory.
    pub(crate) fn new_string(self, units: &[u16]) -> Ref {
        let length = i32::try_from(units.len()).unwrap_or(i32::MAX);
        Ref(jni!(self, NewString, units.as_ptr(), length))
    }

    pub(crate) fn string_length(self, string: Ref) -> usize {
        usize::try_from(jni!(self, GetStringLength, string.0)).unwrap_or(0)
    }

    /// Copies the units from `start` on into `into`; the caller knows that there are so many.
    pub(crate) fn string_region(self, string: Ref, start: usize, into: &mut [u16]) {
        let (start, length) = (to_size(start), to_size(into.len()));
        jni!(self, GetStringRegion, string.0, start, length, into.as_mut_ptr());
    }

    pub(crate) fn array_length(self, array: Ref) -> usize {
        usize::try_from(jni!(self, GetArrayLength, array.0)).unwrap_or(0)
    }

    /// An array of primitives, all zero.
    pub(crate) fn new_primitive_array(self, kind: Kind, length: usize) -> Ref {
        let length = to_size(length);
        Ref(match kind {
            Kind::Boolean => jni!(self, NewBooleanArray, length),
            Kind::Byte => jni!(self, NewByteArray, length),
            Kind::Char => jni!(self, NewCharArray, length),
            Kind::Short => jni!(self, NewShortArray, length),
            Kind::Int => jni!(self, NewIntArray, length),
            Kind::Long => jni!(self, NewLongArray, length),
            Kind::Float => jni!(self, NewFloatArray, length),
            Kind::Double => jni!(self, NewDoubleArray, length),
            Kind::Void | Kind::Object => null_mut(),
        })
    }

    /// An array of references, all null.
    pub(crate) fn new_object_array(self, element: Ref, length: usize) -> Ref {
        Ref(jni!(self, NewObjectArray, to_size(length), element.0, null_mut()))
    }

    /// Reads one element; out of bounds leaves an exception pending.
    pub(crate) fn element(self, kind: Kind, array: Ref, index: i32) -> Raw {
        if kind == Kind::Object {
            return Raw::object(Ref(jni!(self, GetObjectArrayElement, array.0, index)));
        }
        let mut value = Raw::ZERO;
        self.region(kind, array, index, 1, (&raw mut value).cast());
        value
    }

    /// Copies `length` primitive elements to `into`, which has room for them.
    pub(crate) fn region(self, kind: Kind, array: Ref, start: i32, length: i32, into: *mut c_void) {
        let array = array.0;
        match kind {
            Kind::Boolean => jni!(self, GetBooleanArrayRegion, array, start, length, into.cast()),
            Kind::Byte => jni!(self, GetByteArrayRegion, array, start, length, into.cast()),
            Kind::Char => jni!(self, GetCharArrayRegion, array, start, length, into.cast()),
            Kind::Short => jni!(self, GetShortArrayRegion, array, start, length, into.cast()),
            Kind::Int => jni!(self, GetIntArrayRegion, array, start, length, into.cast()),
            Kind::Long => jni!(self, GetLongArrayRegion, array, start, length, into.cast()),
            Kind::Float => jni!(self, GetFloatArrayRegion, array, start, length, into.cast()),
            Kind::Double => jni!(self, GetDoubleArrayRegion, array, start, length, into.cast()),
            Kind::Void | Kind::Object => {}
        }
    }

    /// Copies numbers to the beginning of an `int[]`, which has room for them.
    pub(crate) fn set_ints(self, array: Ref, from: &[i32]) {
        jni!(self, SetIntArrayRegion, array.0, 0, to_size(from.len()), from.as_ptr());
    }

    /// Copies the beginning of an `int[]`, which has as many elements.
    pub(crate) fn ints(self, array: Ref, into: &mut [i32]) {
        jni!(self, GetIntArrayRegion, array.0, 0, to_size(into.len()), into.as_mut_ptr());
    }

    /// Writes one element; out of bounds, or of the wrong class, leaves an exception pending.
    pub(crate) fn set_element(self, kind: Kind, array: Ref, index: i32, value: Raw) {
        let array = array.0;
        let from = (&raw const value).cast::<c_void>();
        match kind {
            Kind::Void => {}
            Kind::Boolean => jni!(self, SetBooleanArrayRegion, array, index, 1, from.cast()),
            Kind::Byte => jni!(self, SetByteArrayRegion, array, index, 1, from.cast()),
            Kind::Char => jni!(self, SetCharArrayRegion, array, index, 1, from.cast()),
            Kind::Short => jni!(self, SetShortArrayRegion, array, index, 1, from.cast()),
            Kind::Int => jni!(self, SetIntArrayRegion, array, index, 1, from.cast()),
            Kind::Long => jni!(self, SetLongArrayRegion, array, index, 1, from.cast()),
            Kind::Float => jni!(self, SetFloatArrayRegion, array, index, 1, from.cast()),
            Kind::Double => jni!(self, SetDoubleArrayRegion, array, index, 1, from.cast()),
            Kind::Object => jni!(self, SetObjectArrayElement, array, index, value.as_ref().0),
        }
    }

    /// Binds native methods of a class; false, with an exception pending, when one does not exist.
    pub(crate) fn register_natives(self, class: Ref, methods: &[Native]) -> bool {
        let table: Vec<sys::JNINativeMethod> = methods
            .iter()
            .map(|native| sys::JNINativeMethod {
                name: native.name.as_ptr().cast_mut(),
                signature: native.descriptor.as_ptr().cast_mut(),
                fnPtr: native.function,
            })
            .collect();
        jni!(self, RegisterNatives, class.0, table.as_ptr(), to_size(table.len())) == sys::JNI_OK
    }
}

/// A native method to bind.
pub(crate) struct Native {
    pub(crate) name: &'static CStr,
    pub(crate) descriptor: &'static CStr,
    pub(crate) function: *mut c_void,
}

fn to_size(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}
