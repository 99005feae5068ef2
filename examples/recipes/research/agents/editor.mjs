// Stands in for an editor: it writes down the findings of its prompt.
import { readFileSync, writeFileSync } from 'node:fs';

const found = [...readFileSync(0, 'utf8').matchAll(/"claim":\s*"([^"]+)",\s*"source":\s*"([^"]+)"/g)];
const claims = found.map(([, claim, source]) => `- ${claim} (${source})\n`).sort();
writeFileSync('ANSWER.md', claims.join(''));
console.log(JSON.stringify({ success: true, message: `The answer rests on ${claims.length} claims.` }));
