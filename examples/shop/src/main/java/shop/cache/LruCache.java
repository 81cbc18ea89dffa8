package shop.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A map that holds at most {@code capacity} entries and forgets the one that was not used for longest.
 * Reading an entry counts as using it. Neither keys nor values may be null. Not safe for several threads.
 *
 * @param <K> what entries are found by
 * @param <V> what is kept
 */
public final class LruCache<K, V> {

    /** An entry, and its neighbours in the circle of all entries. */
    private static final class Node<K, V> {
        final K key;
        V value;
        Node<K, V> newer;
        Node<K, V> older;

        Node(K key, V value) {
            this.key = key;
            this.value = value;
            newer = this;
            older = this;
        }
    }

    private final Map<K, Node<K, V>> nodes = new HashMap<>();

    /** Belongs to no entry: its older neighbour is the newest entry, its newer neighbour the oldest. */
    private final Node<K, V> ends = new Node<>(null, null);

    private int capacity;
    private long hits;
    private long misses;

    /**
     * An empty cache.
     *
     * @throws IllegalArgumentException if there is no room for even one entry
     */
    public LruCache(int capacity) {
        this.capacity = requirePositive(capacity);
    }

    /** The value for the key, if it is still there; the entry becomes the newest. */
    public Optional<V> get(K key) {
        Node<K, V> node = nodes.get(Objects.requireNonNull(key, "key"));
        if (node == null) {
            misses++;
            return Optional.empty();
        }
        hits++;
        makeNewest(node);
        return Optional.of(node.value);
    }

    /** The value for the key, made by {@code maker} and kept if it is not there. */
    public V getOrMake(K key, Function<? super K, ? extends V> maker) {
        Optional<V> found = get(key);
        if (found.isPresent()) {
            return found.get();
        }
        V made = Objects.requireNonNull(maker.apply(key), "made value");
        put(key, made);
        return made;
    }

    /** Keeps the value under the key as the newest entry; gives the value it replaces, if any. */
    public Optional<V> put(K key, V value) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(value, "value");
        Node<K, V> node = nodes.get(key);
        if (node != null) {
            V replaced = node.value;
            node.value = value;
            makeNewest(node);
            return Optional.of(replaced);
        }
        node = new Node<>(key, value);
        nodes.put(key, node);
        link(node);
        forgetOldest();
        return Optional.empty();
    }

    /** Forgets the entry for the key; gives the value it had, if any. */
    public Optional<V> remove(K key) {
        Node<K, V> node = nodes.remove(Objects.requireNonNull(key, "key"));
        if (node == null) {
            return Optional.empty();
        }
        unlink(node);
        return Optional.of(node.value);
    }

    /** Whether there is an entry for the key; asking does not make it newer. */
    public boolean containsKey(K key) {
        return nodes.containsKey(Objects.requireNonNull(key, "key"));
    }

    /** Changes how many entries fit, and forgets the oldest ones that no longer do. */
    public void resize(int newCapacity) {
        capacity = requirePositive(newCapacity);
        forgetOldest();
    }

    /** Forgets all entries, but not how often they were asked for. */
    public void clear() {
        nodes.clear();
        ends.newer = ends;
        ends.older = ends;
    }

    /** All keys, the newest first. */
    public List<K> keys() {
        List<K> keys = new ArrayList<>(nodes.size());
        for (Node<K, V> node = ends.older; node != ends; node = node.older) {
            keys.add(node.key);
        }
        return keys;
    }

    /** How many entries there are. */
    public int size() {
        return nodes.size();
    }

    /** How many entries fit. */
    public int capacity() {
        return capacity;
    }

    /** The share of reads that found their entry, from 0 to 1; 0 before the first read. */
    public double hitRate() {
        long reads = hits + misses;
        return reads == 0 ? 0 : (double) hits / reads;
    }

    private static int requirePositive(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1, not " + capacity);
        }
        return capacity;
    }

    private void forgetOldest() {
        while (nodes.size() > capacity) {
            Node<K, V> oldest = ends.newer;
            nodes.remove(oldest.key);
            unlink(oldest);
        }
    }

    private void makeNewest(Node<K, V> node) {
        unlink(node);
        link(node);
    }

    private void link(Node<K, V> node) {
        node.older = ends.older;
        node.newer = ends;
        ends.older.newer = node;
        ends.older = node;
    }

    private void unlink(Node<K, V> node) {
        node.older.newer = node.newer;
        node.newer.older = node.older;
    }

    /** The entries, the newest first: {@code {b=2, a=1}}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (Node<K, V> node = ends.older; node != ends; node = node.older) {
            if (text.length() > 1) {
                text.append(", ");
            }
            text.append(node.key).append('=').append(node.value);
        }
        return text.append('}').toString();
    }
}
