// Stands in for a translator: it looks every word up in the glossary, and gives up at a word that is not there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const file = /texts\/[\w-]+\.md/.exec(prompt)?.[0] ?? '';
const target = /translated\/[\w-]+\.md/.exec(prompt)?.[0] ?? '';
const word = readFileSync(file, 'utf8').trim();
const german = new RegExp(`^${word}=(.+)$`, 'm').exec(readFileSync('GLOSSARY.txt', 'utf8'))?.[1];
if (german === undefined) {
  console.log(JSON.stringify({ success: false, message: `GLOSSARY.txt has no word for "${word}"` }));
} else {
  mkdirSync('translated', { recursive: true });
  writeFileSync(target, `${german}\n`);
  console.log(JSON.stringify({ success: true, output: { target } }));
}
