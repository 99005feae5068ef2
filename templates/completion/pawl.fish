# Asks "pawl __complete" what can come next.
function __pawl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l prefix (string match -r -- '^--[^=]+=' "$current")
    set -l value (string replace -r -- '^--[^=]+=' '' "$current")
    for line in (command pawl __complete $words[2..] "$current" 2>/dev/null)
        switch $line
            case :files
                printf "$prefix%s\n" (__fish_complete_path "$value")
            case :folders
                printf "$prefix%s\n" (__fish_complete_directories "$value")
            case '*'
                echo $line
        end
    end
end
complete -c pawl -f -a '(__pawl_complete)'
