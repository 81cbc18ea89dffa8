package figure;

/** A private method with two branches, behind a condition that no test controls and an interface without implementation. */
public class Pafm {
    public void example(AnInterface x) {
        if (System.getProperty("user.name").equals("nobody in particular")) {
            checkIfOk(x);
        }
    }

    private boolean checkIfOk(AnInterface x) {
        if (x.isOk()) {
            return true;
        } else {
            return false;
        }
    }
}
