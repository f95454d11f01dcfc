// Parses one command per line of its input as llama-server does, words apart by tabs.
// Prints "ok" or "refused" for each; reasons go to the error stream, after a line with a number.
#include "arg.h"
#include "common.h"

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
    std::string line;
    for (int at = 0; std::getline(std::cin, line); ++at) {
        std::vector<std::string> words = {"llama-server"};
        std::stringstream parts(line);
        for (std::string word; std::getline(parts, word, '\t');) {
            words.push_back(word);
        }
        std::vector<char *> argv;
        for (auto & word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        std::fprintf(stderr, "\n@%d\n", at);
        common_params params;
        const int count = static_cast<int>(words.size());
        const bool ok = common_params_parse(count, argv.data(), params, LLAMA_EXAMPLE_SERVER);
        std::printf("%s\n", ok ? "ok" : "refused");
        std::fflush(stdout);
    }
}
