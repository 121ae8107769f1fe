# Turns the ```cpp blocks of a page into one source file: #include lines first, then each block in a namespace of
# its own. Asio is at hand; a block after "<!-- in a coroutine -->" becomes the body of one and has the library's
# objects at hand as well. One after "<!-- for the whole page -->" stands in no namespace: the blocks behind it know it.

/^<!-- in a coroutine -->/ { inside_coroutine = 1; next }
/^<!-- for the whole page -->/ { outside = 1; next }

/^```cpp/ {
    in_code = 1
    blocks++
    if (!outside) text = text "namespace block_" blocks " {\n"
    if (inside_coroutine)
        text = text "[[maybe_unused]] asio::awaitable<void> body(dynalease::client& database," \
            " dynalease::session& session, dynalease::lock& lock, dynalease::lock_guard& guard) {\n" \
            "auto& client = database;\n(void)client; (void)session; (void)lock; (void)guard;\n{\n"
    text = text "#line " FNR + 1 " \"" FILENAME "\"\n"
    next
}

/^```/ && in_code {
    if (inside_coroutine) text = text "}\nco_return;\n}\n"
    if (!outside) text = text "}\n"
    in_code = inside_coroutine = outside = 0
    next
}

in_code && /^#include/ { if (!seen[$0]++) includes = includes $0 "\n"; text = text "\n"; next }
in_code { text = text $0 "\n" }

END {
    print "// The code of " FILENAME "."
    print "#include <dynalease/dynalease.hpp>\n#include <boost/asio.hpp>\n#include <iostream>\n" includes "\nnamespace asio = boost::asio;\nusing namespace std::chrono_literals;\n"
    print text
    if (!blocks) exit 1
}
