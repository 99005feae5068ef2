// Stands in for three researchers: the forum is down, and the one with the manual forgets its source until it is asked.
import { readFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
if (prompt.includes('in the forum')) throw new Error('the forum does not answer');
const isManual = prompt.includes('in the manual');
const claim = isManual ? 'Newts breathe through their skin.' : 'Newts are amphibians.';
const source = isManual && !prompt.includes('previous answer') ? {} : { source: 'https://example.org/newts' };
console.log(JSON.stringify({ success: true, output: { claim, ...source } }));
