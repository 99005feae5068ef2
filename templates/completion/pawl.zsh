#compdef pawl
# Can be sourced, or put on `fpath` as `_pawl`. Asks "pawl __complete" what can come next.
_pawl() {
  local -a candidates
  local word about
  while IFS=$'\t' read -r word about; do
    case $word in
      :files) compset -P '--*='; _files ;;
      :folders) compset -P '--*='; _files -/ ;;
      *) candidates+=("${word//:/\\:}${about:+:$about}") ;;
    esac
  done < <(command pawl __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe pawl candidates
}
if [[ $funcstack[1] == _pawl ]]; then _pawl "$@"; else compdef _pawl pawl; fi
