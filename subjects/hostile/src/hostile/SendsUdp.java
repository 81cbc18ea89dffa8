package hostile;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;

/** Talks UDP. */
public class SendsUdp {
    public static int send(int port) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            InetAddress here = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            socket.send(new DatagramPacket(new byte[] {1}, 1, here, port));
            return 1;
        }
    }
}
