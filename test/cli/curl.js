// Stands in for curl in the pages of the documents, so that they can be followed where it is not installed:
// `curl -s [-X METHOD] [-H HEADER] [-d BODY] URL` prints the answer.

const words = process.argv.slice(2).filter((word) => word !== '-s' && word !== '-N');
/** @param {string} name */
const option = (name) => (words.includes(name) ? words.splice(words.indexOf(name), 2)[1] : undefined);
const body = option('-d');
const method = option('-X') ?? (body === undefined ? 'GET' : 'POST');
const header = option('-H')?.split(/:\s*/) ?? [];
const headers = header.length === 2 ? { [String(header[0])]: String(header[1]) } : {};
const answer = await fetch(words[0] ?? '', { method, headers, ...(body === undefined ? {} : { body }) });
process.stdout.write(await answer.text());
