package structures;

/** A max-heap in an array; unused places hold -1. */
public class HeapArray {
    private int size;
    private int[] array;

    public boolean repOK() {
        if (array == null || size < 0 || size > array.length) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (array[i] < 0) {
                return false;
            }
            if (i > 0 && array[i] > array[(i - 1) / 2]) {
                return false;
            }
        }
        for (int i = size; i < array.length; i++) {
            if (array[i] != -1) {
                return false;
            }
        }
        return true;
    }
}
