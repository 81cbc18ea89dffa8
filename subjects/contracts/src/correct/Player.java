package correct;

import planted.Tape;

/** Does nothing wrong: whoever gives it an empty tape is to blame. */
public class Player {
    public int play(Tape tape) {
        return tape.hasMore() ? 1 : 0;
    }
}
