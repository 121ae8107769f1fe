# What Doxygen reads of a page: headings that its links can name, and no links to what is not on the site.
# Usage: awk -f page.awk PAGE
function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9 -]/, "", text)
    gsub(/ /, "-", text)
    return text
}
function is_here(target) {
    return target ~ /^https?:/ || target ~ /^[a-z]+\.(md|svg)$/ || target ~ /(examples|tests)\/README\.md$/
}
BEGIN {
    prefix = ARGV[1]
    sub(/\/[^\/]*$/, "", prefix)
    sub(/.*\//, "", prefix)
}
/^```/ { in_code = !in_code; print; next }
in_code { print; next }
/^<!-- / { next }
/^##+ / { $0 = $0 " {#" prefix "-" slug(substr($0, index($0, " ") + 1)) "}" }
{
    rest = $0
    done = ""
    while (match(rest, /\[[^]]*\]\([^)]*\)/)) {
        link = substr(rest, RSTART, RLENGTH)
        text = target = link
        sub(/^\[/, "", text); sub(/\]\(.*/, "", text)
        sub(/.*\]\(/, "", target); sub(/\)$/, "", target)
        if (target ~ /^#/) link = "[" text "](@ref " prefix "-" substr(target, 2) ")"
        else if (!is_here(target)) link = text
        done = done substr(rest, 1, RSTART - 1) link
        rest = substr(rest, RSTART + RLENGTH)
    }
    print done rest
}
