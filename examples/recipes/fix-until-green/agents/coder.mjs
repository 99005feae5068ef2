// Stands in for a model. It fixes the first mistake it sees and claims that all tests pass; when its prompt names a failing test, it fixes that.
import { readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
let code = readFileSync('src/slug.js', 'utf8').replace('.trim().replace', '.trim().toLowerCase().replace');
if (prompt.includes('every space becomes a hyphen')) code = code.replace("' '", '/ /g');
writeFileSync('src/slug.js', code);
console.log('{"success": true, "message": "Fixed. All tests pass."}');
