// Stands in for a writer that defends its text: it drops a claim only when a person asks for it.
import { readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const claim = ['It never crashes.', 'It rarely crashes.', 'It crashes less.'].find((words) => !prompt.includes(words));
const claims = ['Searching is twice as fast.', ...(prompt.includes('drop the last claim') ? [] : [claim])];
writeFileSync('ANNOUNCEMENT.md', `# Version 2\n\n${claims.join('\n')}\n`);
console.log(JSON.stringify({ success: true, message: 'The announcement is as good as it gets.' }));
