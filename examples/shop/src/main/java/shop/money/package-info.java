/** Amounts of money. */
package shop.money;
