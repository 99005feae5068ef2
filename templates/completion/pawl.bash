# For bash from 3.2 on, without the bash-completion package. Asks "pawl __complete" what can come next.
_pawl() {
  local cur word value glue='' prefix='' line=()
  COMPREPLY=()
  # bash splits "--db=x" at the "="; here it is one word again.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ${#line[@]} -gt 0 && ( $word == '=' || -n $glue ) ]]; then
      line[${#line[@]}-1]+=$word
      glue=''
      [[ $word == '=' ]] && glue=1
    else
      line+=("$word")
    fi
  done
  cur=${line[${#line[@]}-1]}
  value=$cur
  if [[ $cur == --*=* ]]; then
    value=${cur#*=}
    prefix=${cur%%=*}=
  fi
  # What bash has split off is not part of what it replaces.
  local split=$prefix
  [[ ${COMP_WORDS[COMP_CWORD]} == --*=* ]] && split=''
  while IFS=$'\t' read -r word _; do
    case $word in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        local kind=-f
        [[ $word == :folders ]] && kind=-d
        while IFS= read -r word; do
          [[ -n $split ]] && COMPREPLY+=("$word") || COMPREPLY+=("$prefix$word")
        done < <(compgen $kind -- "$value")
        ;;
      *) COMPREPLY+=("${word#"$split"}") ;;
    esac
  done < <(command pawl __complete "${line[@]}" 2>/dev/null)
  return 0
}
complete -F _pawl pawl
