/** Ranges of whole numbers, for order numbers, days and prices. */
package shop.range;
