// Owns the patterns of tokens of well-known services, so that a token is recognised even if it is not configured as a secret.

/** Matches tokens of known services, private keys, and passwords in addresses. */
export const KNOWN_TOKENS =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|npm_\w{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----|(?<=:\/\/[^\s/:@]{0,200}:)[^\s/@]+(?=@)/g;
