package untestable;

/** An annotation. */
public @interface Marker {
    String value() default "";
}
