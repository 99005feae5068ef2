// The program that P6 starts repeatedly: it opens one peer on a new store, runs a workflow of one step and exits. If the peer
// needs a server, that is already running with its tables created: only the start of the program is measured.

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

const [name, folder, address] = process.argv.slice(2);
const { open } = await import(`./${name}.js`);
const peer = await open(mkdtempSync(join(folder, 'cold-')), JSON.parse(address));
await peer.sequential(1);
await peer.close();
process.exit();
