//! Brings the JDK up to temperature before the first statement: what its classes do once, when they are first used,
//! must not be put down to a statement, or be cut short in the middle of a statement's end.

use crate::WorkerError;
use crate::classes::Jdk;
use crate::jni::{Env, Ref};

/// Classes that start a thread, load a library, or have much to do, when they are initialized.
const CLASSES: &[&str] = &[
    "jdk.internal.ref.CleanerFactory",
    "sun.nio.ch.IOUtil",
    "java.lang.invoke.MethodHandles",
    "java.lang.invoke.LambdaMetafactory",
    "java.lang.invoke.InnerClassLambdaMetafactory",
    "java.lang.invoke.StringConcatFactory",
    "java.lang.runtime.ObjectMethods",
    "java.lang.reflect.Proxy",
    "java.lang.CharacterData00",
    "java.lang.CharacterData01",
    "java.lang.Character$UnicodeBlock",
    "java.lang.Character$UnicodeScript",
    "java.lang.StackStreamFactory",
    "java.lang.ProcessHandleImpl",
    "java.math.BigInteger",
    "java.math.BigDecimal",
    "java.math.MathContext",
    "java.nio.charset.StandardCharsets",
    "java.nio.file.FileSystems",
    "java.security.Security",
    "java.security.SecureRandom",
    "java.security.MessageDigest",
    "java.text.DateFormatSymbols",
    "java.text.DecimalFormat",
    "java.text.DecimalFormatSymbols",
    "java.text.SimpleDateFormat",
    "java.text.MessageFormat",
    "java.text.Normalizer",
    "java.text.Collator",
    "java.time.ZoneId",
    "java.time.ZonedDateTime",
    "java.time.chrono.IsoChronology",
    "java.time.format.DateTimeFormatter",
    "java.time.format.DateTimeFormatterBuilder",
    "java.time.zone.ZoneRulesProvider",
    "java.util.Calendar",
    "java.util.Collections",
    "java.util.Currency",
    "java.util.Formatter",
    "java.util.GregorianCalendar",
    "java.util.Locale",
    "java.util.Objects",
    "java.util.Optional",
    "java.util.Random",
    "java.util.ResourceBundle",
    "java.util.Scanner",
    "java.util.ServiceLoader",
    "java.util.Spliterators",
    "java.util.SplittableRandom",
    "java.util.StringJoiner",
    "java.util.TimeZone",
    "java.util.UUID",
    "java.util.concurrent.CompletableFuture",
    "java.util.concurrent.ConcurrentSkipListMap",
    "java.util.concurrent.Executors",
    "java.util.concurrent.ForkJoinPool",
    "java.util.concurrent.ThreadLocalRandom",
    "java.util.concurrent.ThreadPoolExecutor",
    "java.util.concurrent.TimeUnit",
    "java.util.concurrent.locks.ReentrantReadWriteLock",
    "java.util.regex.Pattern",
    "java.util.stream.Collectors",
    "java.util.stream.IntStream",
    "java.util.stream.StreamSupport",
    "java.util.zip.CRC32",
    "java.util.zip.Inflater",
    "sun.util.locale.provider.LocaleProviderAdapter",
    "sun.util.calendar.ZoneInfo",
];

/// Initializes them. A class that another JDK does not have is passed over.
pub(crate) fn warm_up(env: Env, jdk: &Jdk) -> Result<(), WorkerError> {
    for name in CLASSES {
        if !env.push_frame(8) {
            return Err(WorkerError::new("no memory for local references"));
        }
        // What was thrown is of no use here: who uses the class will hear of it.
        let _ = jdk.load_initialized(env, name, Ref::NULL);
        env.pop_frame(Ref::NULL);
    }
    Ok(())
}
