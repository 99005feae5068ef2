// Gives each record its new version and writes down that it did so. Once, the machine dies at record-5.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

for (const file of process.argv.slice(2)) {
  const record = JSON.parse(readFileSync(`records/${file}`, 'utf8'));
  if (file === 'record-5.json' && !existsSync('crashed')) {
    writeFileSync('crashed', '');
    process.kill(process.ppid, 'SIGKILL');
    process.exit();
  }
  writeFileSync(`records/${file}`, `${JSON.stringify({ ...record, version: 2 })}\n`);
  appendFileSync('migrated.log', `${file}\n`);
}
