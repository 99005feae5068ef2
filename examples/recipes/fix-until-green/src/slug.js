/** @param {string} title "Hello World" becomes "hello-world". */
export function slug(title) {
  return title.trim().replace(' ', '-');
}
