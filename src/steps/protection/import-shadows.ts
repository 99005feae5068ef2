// Finds new files that would be imported instead of others: of a module of Python's standard library or of pytest, or of
// a protected file with the same name.

import { basename, posix } from 'node:path';

/** Modules of Python's standard library, and those that pytest and its usual plugins consist of. A file with the same name hides them. */
const PYTHON_MODULES: ReadonlySet<string> = new Set(
  `abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar
  cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib
  contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings
  enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob
  graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress itertools json keyword
  linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc nis nntplib numbers
  opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath
  pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
  rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize smtpd smtplib sndhdr socket
  socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau
  symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit token tokenize tomllib
  trace traceback tracemalloc tty types typing unicodedata unittest urllib usercustomize uu uuid warnings wave weakref webbrowser
  wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
  pytest _pytest pluggy iniconfig packaging exceptiongroup tomli colorama pygments py coverage pytest_cov pytest_asyncio
  pytest_mock pytest_timeout pytest_randomly pytest_django xdist execnet hypothesis _hypothesis_pytestplugin`
    .trim()
    .split(/\s+/),
);
const PYTHON_FILE = /\.(?:py|pyc|so|pyd)$/;
const CODE_FILE = /\.(?:py|pyc|so|pyd|[cm]?[jt]s|[jt]sx|node)$/;
const FOLDER_MODULE = /\/(?:__init__|index)\.\w+$/;

/** Whether Python would import this file in place of an installed module. */
export function hidesPythonModule(path: string): boolean {
  if (!PYTHON_FILE.test(path)) return false;
  const name = /(?:^|\/)__init__\.[^/]*$/.test(path) ? basename(posix.dirname(path)) : basename(path);
  return PYTHON_MODULES.has(name.replace(/\..*$/, ''));
}

/** The name under which a file is imported; the same for all files that could provide it. */
function importName(path: string): string | undefined {
  if (!CODE_FILE.test(path)) return undefined;
  if (FOLDER_MODULE.test(path)) return path.replace(FOLDER_MODULE, '');
  // An extension module of Python is named for its platform: util.cpython-312-x86_64-linux-gnu.so.
  return path.endsWith('.so') ? path.replace(/(?:\.cpython-[^/]*|\.abi3)?\.so$/, '') : path.replace(CODE_FILE, '');
}

/** Finds the new files that would be imported in place of one of these. */
export function createShadowSearch(known: Iterable<string>): (path: string) => boolean {
  let names: Set<string> | undefined;
  return (path) => {
    const name = importName(path);
    if (name === undefined) return false;
    names ??= new Set([...known].flatMap((file) => importName(file) ?? []));
    return names.has(name);
  };
}
