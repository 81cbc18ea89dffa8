package correct;

import java.util.Objects;

/** A customer is known by a number; the nickname may change. */
public class Customer {
    private final int number;
    private String nickname = "";

    public Customer(int number) {
        this.number = number;
    }

    public int getNumber() {
        return number;
    }

    public String getNickname() {
        return nickname;
    }

    public void setNickname(String nickname) {
        this.nickname = Objects.requireNonNull(nickname, "nickname");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Customer && number == ((Customer) other).number;
    }

    @Override
    public int hashCode() {
        return Integer.hashCode(number);
    }
}
