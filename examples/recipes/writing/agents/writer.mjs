// Stands in for a writer: it writes about ponds, and does what the person's comment in its prompt asks for.
import { readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const sentences = ['Ponds are very nice.', ...(prompt.includes('mention newts') ? ['Newts live in them.'] : [])];
writeFileSync('TEXT.md', `${sentences.join(' ').replace('very ', prompt.includes('no filler') ? '' : 'very ')}\n`);
console.log(JSON.stringify({ success: true, message: 'The text is done.' }));
