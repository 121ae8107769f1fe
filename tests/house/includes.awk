# Compares every #include with rooms.txt. Usage: awk -f includes.awk rooms.txt FILE...   (run at the top of the tree)
# Prints "file:line: what is wrong", one a line; nothing if all is well.

function known(list, name,   words, n, i) {
    n = split(list, words, " ")
    for (i = 1; i <= n; i++) if (words[i] == name) return 1
    return 0
}

# The room whose longest path begins `path`, or "".
function room_of(path,   p, best, found) {
    best = 0
    found = ""
    for (p in owner) if (length(p) > best && index(path, p) == 1) { best = length(p); found = owner[p] }
    return found
}

function third_party_allowed(room, header,   words, n, i) {
    n = split(others[room], words, " ")
    for (i = 1; i <= n; i++) {
        if (words[i] == header) return 1
        if (words[i] ~ /\/$/ && index(header, words[i]) == 1) return 1
    }
    return 0
}

function complain(what) { print FILENAME ":" FNR ": " what }

# Whether a header, or one of the tree that it includes, includes `confined`. A header that is looked at is not looked at
# again, so that cycles end.
function reaches(file, confined, seen,   words, n, i) {
    if (file in seen) return 0
    seen[file]
    if (index(foreign[file], " <" confined)) return 1
    n = split(own[file], words, " ")
    for (i = 1; i <= n; i++) if (reaches(words[i], confined, seen)) return 1
    return 0
}

FNR == NR {
    if ($0 ~ /^#/ || $0 ~ /^ *$/) next
    n = split($0, column, /  +/)
    if (n != 4) { print FILENAME ":" FNR ": a row has four columns"; next }
    m = split(column[2], paths, " ")
    for (i = 1; i <= m; i++) owner[paths[i]] = column[1]
    uses[column[1]] = column[3]
    m = split(column[4], headers, " ")
    for (i = 1; i <= m; i++) {
        if (!sub(/^!/, "", headers[i])) continue
        confines[headers[i], column[1]]
        confined_to[headers[i]] = confined_to[headers[i]] (confined_to[headers[i]] ? " and " : "") column[1]
    }
    gsub(/!/, "", column[4])
    others[column[1]] = column[4]
    next
}

FNR == 1 {
    here = room_of(FILENAME)
    if (here == "") complain("lies in no room of rooms.txt")
}

/^[ \t]*#[ \t]*include/ {
    if (here == "") next
    if (!match($0, /[<"][^>"]+[>"]/)) { complain("unreadable #include"); next }
    quoted = substr($0, RSTART, 1) == "\""
    header = substr($0, RSTART + 1, RLENGTH - 2)
    if (quoted && header !~ /\//) { complain("write \"room/" header "\""); next }
    if (quoted && index(header, "dynalease/") == 1) { complain("write <" header ">"); next }
    if (quoted) found = "src/" header
    else if (index(header, "dynalease/") == 1) found = "include/" header
    else found = ""
    target = found ? room_of(found) : "-"
    if (found) {
        own[FILENAME] = own[FILENAME] " " found
        line[FILENAME, found] = FNR
    } else {
        foreign[FILENAME] = foreign[FILENAME] " <" header
    }
    if (target == "-") {
        if (header ~ /^[a-z_0-9]+$/ || third_party_allowed(here, header)) next
        complain(here " must not include <" header ">")
    } else if (quoted && here !~ /^src\//) {
        complain("a public header must not include \"" header "\"")
    } else if (target == "") {
        complain("\"" header "\" lies in no room of rooms.txt")
    } else if (target != here && !known(uses[here], target)) {
        complain(here " must not use " target " (" header ")")
    }
}

END {
    for (confined in confined_to) {
        for (file in own) {
            if ((confined, room_of(file)) in confines) continue
            n = split(own[file], words, " ")
            for (i = 1; i <= n; i++) {
                split("", seen)
                if (!((confined, room_of(words[i])) in confines) || !reaches(words[i], confined, seen)) continue
                print file ":" line[file, words[i]] ": " words[i] " brings in <" confined ">, which stays in " \
                      confined_to[confined]
            }
        }
    }
}
