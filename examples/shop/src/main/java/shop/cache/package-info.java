/** A cache of bounded size. */
package shop.cache;
