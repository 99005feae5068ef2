// Reads an option of a script whose value is a whole number.

/**
 * The number that a text spells; anything else ends the process with code 2.
 * @param {string} option
 * @param {string} text
 */
export function wholeNumber(option, text) {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`--${option} must be a whole number, not ${text}\n`);
  process.exit(2);
}
