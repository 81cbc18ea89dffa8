/** Splitting discount rules into tokens. */
package shop.text;
