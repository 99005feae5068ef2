// Owns the scripts for the shells. Each asks `pawl __complete` what can come next and completes paths by itself.

/** For bash from 3.2 on, without the bash-completion package. */
const BASH = `_pawl() {
  local cur word value glue='' prefix='' line=()
  COMPREPLY=()
  # bash splits "--db=x" at the "="; here it is one word again.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ \${#line[@]} -gt 0 && ( $word == '=' || -n $glue ) ]]; then
      line[\${#line[@]}-1]+=$word
      glue=''
      [[ $word == '=' ]] && glue=1
    else
      line+=("$word")
    fi
  done
  cur=\${line[\${#line[@]}-1]}
  value=$cur
  if [[ $cur == --*=* ]]; then
    value=\${cur#*=}
    prefix=\${cur%%=*}=
  fi
  # What bash has split off is not part of what it replaces.
  local split=$prefix
  [[ \${COMP_WORDS[COMP_CWORD]} == --*=* ]] && split=''
  while IFS=$'\\t' read -r word _; do
    case $word in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        local kind=-f
        [[ $word == :folders ]] && kind=-d
        while IFS= read -r word; do
          [[ -n $split ]] && COMPREPLY+=("$word") || COMPREPLY+=("$prefix$word")
        done < <(compgen $kind -- "$value")
        ;;
      *) COMPREPLY+=("\${word#"$split"}") ;;
    esac
  done < <(command pawl __complete "\${line[@]}" 2>/dev/null)
  return 0
}
complete -F _pawl pawl
`;

/** For zsh; it can be sourced, or put on \`fpath\` as \`_pawl\`. */
const ZSH = `#compdef pawl
_pawl() {
  local -a candidates
  local word about
  while IFS=$'\\t' read -r word about; do
    case $word in
      :files) compset -P '--*='; _files ;;
      :folders) compset -P '--*='; _files -/ ;;
      *) candidates+=("\${word//:/\\\\:}\${about:+:$about}") ;;
    esac
  done < <(command pawl __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe pawl candidates
}
if [[ $funcstack[1] == _pawl ]]; then _pawl "$@"; else compdef _pawl pawl; fi
`;

const FISH = `function __pawl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l prefix (string match -r -- '^--[^=]+=' "$current")
    set -l value (string replace -r -- '^--[^=]+=' '' "$current")
    for line in (command pawl __complete $words[2..] "$current" 2>/dev/null)
        switch $line
            case :files
                printf "$prefix%s\\n" (__fish_complete_path "$value")
            case :folders
                printf "$prefix%s\\n" (__fish_complete_directories "$value")
            case '*'
                echo $line
        end
    end
end
complete -c pawl -f -a '(__pawl_complete)'
`;

/** The script of each shell. */
export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
