/** What is on the shelves, and what it is worth. */
package shop.stock;
