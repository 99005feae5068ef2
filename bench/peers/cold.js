// The program that P6 starts over and over: it opens one peer on a store of its own, runs a workflow of one step and
// ends. A server runs already if the peer has one, with the peer's tables in it: there it is a cold start of the program.

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

const [name, folder, address] = process.argv.slice(2);
const { open } = await import(`./${name}.js`);
const peer = await open(mkdtempSync(join(folder, 'cold-')), JSON.parse(address));
await peer.sequential(1);
await peer.close();
process.exit();
