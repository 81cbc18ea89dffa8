//! The part of the JDK that inline subjects stand on.

pub(crate) const JAVA: &str = "
package java.lang;
class Object { Object(); boolean equals(Object obj); int hashCode(); String toString(); protected Object clone(); }
interface CharSequence { int length(); }
interface Comparable<T> { int compareTo(T o); }
interface Cloneable { }
interface Runnable { void run(); }
interface Iterable<T> { java.util.Iterator<T> iterator(); }
class Class<T> { T cast(Object obj); }
abstract class Number implements Serializable { abstract int intValue(); }
abstract class Enum<E extends Enum<E>> implements Comparable<E>, Serializable { int compareTo(E o); }
class Throwable implements Serializable { Throwable(); }
class Exception extends Throwable { Exception(); }
final class String implements CharSequence, Comparable<String>, Serializable { String(); int length(); }
final class Boolean implements Comparable<Boolean>, Serializable { }
final class Byte extends Number implements Comparable<Byte> { }
final class Short extends Number implements Comparable<Short> { }
final class Character implements Comparable<Character>, Serializable { }
final class Integer extends Number implements Comparable<Integer> { static Integer valueOf(int i); }
final class Long extends Number implements Comparable<Long> { }
final class Float extends Number implements Comparable<Float> { }
final class Double extends Number implements Comparable<Double> { }
package java.io;
interface Serializable { }
package java.util;
interface Iterator<E> { boolean hasNext(); E next(); }
interface Collection<E> extends Iterable<E> { boolean add(E e); boolean addAll(Collection<? extends E> c); }
interface List<E> extends Collection<E> { E get(int index); }
interface Set<E> extends Collection<E> { }
class ArrayList<E> implements List<E> { ArrayList(); ArrayList(Collection<? extends E> c); }
interface Map<K, V> { V get(Object key); V put(K key, V value); interface Entry<K, V> { K getKey(); V getValue(); } }
class HashMap<K, V> implements Map<K, V> { HashMap(); }
interface Comparator<T> { int compare(T o1, T o2); }
class Collections { static <T extends Object & Comparable<? super T>> T max(Collection<? extends T> coll); static <T> List<T> emptyList(); static <T extends Comparable<? super T>> void sort(List<T> list); }
package java.util.function;
interface Function<T, R> { R apply(T t); }
interface Supplier<T> { T get(); }
interface Predicate<T> { boolean test(T t); }
";
