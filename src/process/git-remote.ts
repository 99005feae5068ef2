// Owns calls of git to a server over HTTPS with a token. The token is only in the environment of that git process: not in
// the address, the arguments, a file, or the configuration of a repository.
//
// - The header is limited to the server's address, and redirects are not followed, so no other host receives the token.
// - Credential helpers and prompts are off: no other login is used by accident, and nothing is stored.

import { git } from './git.ts';

/** A call of git that failed for a reason that may be temporary. */
export class GitFailure extends Error {}

/** A server with a repository, and the login there. */
export interface GitRemote {
  /** The address of the repository, without a login: `https://github.com/octo/project.git`. */
  readonly url: string;
  token(): Promise<string>;
  /** Gets another token after one was refused. Returns false if there is none. */
  renew(refused: string): Promise<boolean>;
}

/** The result of a git call that ran. */
interface GitEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether the server rejected the login itself. */
export function isLoginRefused(message: string): boolean {
  return /(?:error:|HTTP) 401\b|authentication failed|could not read (?:username|password)/i.test(message);
}

/** Whether the login has no permission for the operation. */
export function isAccessRefused(message: string): boolean {
  return /(?:error:|HTTP) 403\b|repository.* not found/i.test(message);
}

/**
 * Runs a git command against the remote. The server's response to a push or a fetch is in the result. A rejected login is
 * renewed once, which is safe: a server rejects a login before it acts.
 */
export async function gitRemote(cwd: string, remote: GitRemote, args: readonly string[]): Promise<GitEnd> {
  const token = await remote.token();
  const end = await callRemote(cwd, { url: remote.url, token }, args);
  if (end.code === 0 || !isLoginRefused(end.stderr) || !(await remote.renew(token))) return end;
  return await callRemote(cwd, { url: remote.url, token: await remote.token() }, args);
}

interface LoggedInRemote {
  readonly url: string;
  readonly token: string;
}

async function callRemote(cwd: string, { url, token }: LoggedInRemote, args: readonly string[]): Promise<GitEnd> {
  const login = Buffer.from(`x-access-token:${token}`).toString('base64');
  const settings: readonly (readonly [string, string])[] = [
    [`http.${url}.extraHeader`, `Authorization: Basic ${login}`],
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
    ['protocol.version', '2'],
  ];
  const named = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const env = {
    ...Object.fromEntries(named),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    LC_ALL: 'C',
  };
  const answer = await git(cwd, args, { env });
  if (answer.ok) return { code: 0, stdout: answer.stdout, stderr: '' };
  const message = answer.message.replaceAll(token, '***').replaceAll(login, '***');
  if (answer.code === undefined) throw new GitFailure(`git ${args[0]} failed: ${message}`);
  return { code: answer.code, stdout: answer.stdout, stderr: message };
}
