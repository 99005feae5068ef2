// Limits the network access of a program: it runs in a separate network namespace that has only loopback, and reaches
// allowed hosts through a proxy of ours.
//
// - Whether the machine supports that is tested once, not guessed from the names of installed programs.
// - The proxy runs in this process and listens on a Unix socket, which is a file and so crosses the namespace. A relay in
//   the namespace forwards loopback to it, because programs expect the address of a proxy.
// - Unix sockets that a program can open as files (Docker, an SSH agent) remain reachable.

import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SHELL_NAME } from './not-run.ts';

/** How network access is limited on this machine, or why it cannot be. */
type NetworkSupport =
  | { readonly by: 'namespace' | 'bubblewrap'; readonly enter: readonly string[] }
  | { readonly by: 'nothing'; readonly why: string };

/** The hosts that a program may reach. */
interface NetworkLimit {
  readonly allows: (host: string, port: number) => boolean;
  /** The hosts that `allows` may allow, with or without a port. If there are none, there is no proxy. */
  readonly hosts: readonly string[];
  /** Called with each `host:port` that was denied. */
  readonly onDenied: (address: string) => void;
}

/** Starts programs with limited network access. Its proxy works until it is closed. */
export interface NetworkFence {
  readonly wrap: (argv: readonly string[]) => readonly string[];
  close(): Promise<void>;
}

// The outer namespace owns the network. The inner one has the user's own id and no rights over it.
const EXEC = `exec unshare --user --map-user="$1" --map-group="$2" /bin/sh -c 'shift 2; exec "$@"' ${SHELL_NAME} "$@"`;
const UNSHARE = ['unshare', '--user', '--map-root-user', '--net', '/bin/sh', '-c', `ip link set lo up && ${EXEC}`, SHELL_NAME];
const BUBBLEWRAP = ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--die-with-parent', '/bin/sh', '-c', 'exec "$@"', SHELL_NAME];
/** Succeeds if there are no network routes. */
const PROBE = ['/bin/sh', '-c', '[ "$(wc -l </proc/net/route)" -le 1 ]'];
const PROBE_MS = 10_000;
const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

let support: NetworkSupport | undefined;

/** Returns how network access can be limited on this machine. */
export function networkSupport(): NetworkSupport {
  support ??= findSupport();
  return support;
}

function findSupport(): NetworkSupport {
  if (process.platform !== 'linux') return { by: 'nothing', why: `${process.platform} has no network namespaces` };
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const ids = [process.getuid?.() ?? 0, process.getgid?.() ?? 0].map(String);
  const ways = [
    { by: 'namespace', enter: [...UNSHARE, ...ids] },
    { by: 'bubblewrap', enter: BUBBLEWRAP },
  ] as const;
  const failures: string[] = [];
  for (const way of ways) {
    const [file = '', ...args] = [...way.enter, ...PROBE];
    const { status, stderr, error } = spawnSync(file, args, { encoding: 'utf8', timeout: PROBE_MS, stdio: ['ignore', 'ignore', 'pipe'] });
    if (status === 0) return way;
    failures.push(
      error === undefined ? `${file} failed: ${stderr.trim().split('\n')[0] || `exit code ${status}`}` : `${file} cannot be run`,
    );
  }
  return { by: 'nothing', why: failures.join('; ') };
}

/** Opens a fence. */
export async function openNetworkFence(enter: readonly string[], limit: NetworkLimit): Promise<NetworkFence> {
  if (limit.hosts.length === 0) return { wrap: (argv) => [...enter, ...argv], close: () => Promise.resolve() };
  const proxy = await openProxy(limit);
  // Loopback is that of the namespace, unless a rule allows that of this machine.
  const direct = OWN_HOSTS.filter((own) => !limit.hosts.some((host) => host.replace(/:\d+$/, '') === own)).join(',');
  const inside = [process.execPath, '-e', `(${relay.toString()})()`, '--', proxy.path, direct];
  return { wrap: (argv) => [...enter, ...inside, ...argv], close: proxy.close };
}

async function openProxy(limit: NetworkLimit): Promise<{ readonly path: string; readonly close: () => Promise<void> }> {
  const [{ mkdtemp, rm }, { join }, { tmpdir }, http, net] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('node:os'),
    import('node:http'),
    import('node:net'),
  ]);
  const open = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
    return socket;
  };
  const isDenied = (host: string, port: number): boolean => {
    if (limit.allows(host, port)) return false;
    limit.onDenied(`${host}:${port}`);
    return true;
  };
  const server = http.createServer((request, response) => {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return refuse(response, 400, 'this is a proxy; it accepts only absolute URLs');
    const [host, port] = [hostOf(url), Number(url.port || 80)];
    if (isDenied(host, port)) return refuse(response, 403, `${host}:${port} is not in the list of allowed hosts`);
    const { method, headers } = request;
    const upstream = http.request({ host, port, method, headers, path: `${url.pathname}${url.search}` }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', (error) => refuse(response, 502, error.message));
    request.pipe(upstream);
  });
  server.on('connection', track);
  server.on('connect', (request, socket: Socket, head: Buffer) => {
    const url = URL.parse(`http://${request.url}`);
    const [host, port] = url === null ? ['', 0] : [hostOf(url), Number(url.port || 80)];
    if (url === null || isDenied(host, port)) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const outer = track(
      net.connect(port, host, () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        outer.write(head);
        socket.pipe(outer).pipe(socket);
      }),
    );
    outer.on('error', () => socket.destroy());
    socket.on('error', () => outer.destroy());
  });
  const folder = await mkdtemp(join(tmpdir(), 'pawl-net-'));
  const path = join(folder, 'proxy');
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  const close = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  };
  return { path, close };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function refuse(response: ServerResponse, status: number, why: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${why}\n`);
}

// Runs inside the namespace, as the parent of the program. Its source is passed to Node as text, so it may use only
// globals, and nothing else from this file.
function relay(): void {
  const net = process.getBuiltinModule('node:net');
  const [path = '', direct = '', file = '', ...args] = process.argv.slice(1);
  const server = net.createServer((inner) => {
    const outer = net.connect(path);
    inner.on('error', () => outer.destroy());
    outer.on('error', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  });
  // Signals are meant for the program; this process exits after it.
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
  for (const signal of signals) process.on(signal, () => {});
  server.listen(0, '127.0.0.1', () => {
    const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env: NodeJS.ProcessEnv = { ...process.env, NODE_USE_ENV_PROXY: '1' };
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) env[name] = env[name.toLowerCase()] = proxy;
    env.NO_PROXY = env.no_proxy = direct;
    const child = process.getBuiltinModule('node:child_process').spawn(file, args, { stdio: 'inherit', env });
    child.on('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT';
      process.stderr.write(`pawl-sh: ${file}: ${isMissing ? 'not found' : error.message}\n`);
      process.exit(isMissing ? 127 : 126);
    });
    child.on('exit', (code, signal) => {
      if (signal === null) process.exit(code ?? 1);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  });
}
