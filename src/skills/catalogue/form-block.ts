// Creates blocks with examples of documents that an agent writes. Blocks are printed unchanged, while quotes and brackets
// of a text are escaped.

/** The form of a document, by example; it contains no markup. */
export function formBlock(example: string): string {
  return `<form>\n${example}\n</form>`;
}

/** The form of a quotation with its source. */
export function quoteForm(words: string, source: string): string {
  return formBlock(`> ${words}\n> — ${source}`);
}
