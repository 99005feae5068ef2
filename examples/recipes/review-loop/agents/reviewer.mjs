// Stands in for a reviewer: every line of the announcement must be one of CHANGES.md.
import { readFileSync } from 'node:fs';

const changes = readFileSync('CHANGES.md', 'utf8');
const lines = readFileSync('ANNOUNCEMENT.md', 'utf8').split('\n').slice(2).filter(Boolean);
const unfounded = lines.filter((line) => !changes.includes(line));
const feedback = unfounded.map((line) => `not backed by CHANGES.md: ${line}`).join('\n');
console.log(JSON.stringify({ success: true, verdict: unfounded.length === 0 ? 'approve' : 'reject', output: { feedback } }));
