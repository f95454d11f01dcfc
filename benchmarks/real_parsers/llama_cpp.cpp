// Reads one command per line of its input, words apart by tabs, and parses each as llama-server
// does, in a process of its own, for some options end the program. Prints "ok" or "refused" for
// each; reasons go to the error stream, after a line with a number.
#include "arg.h"
#include "common.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static bool parsed(std::vector<std::string> & words) {
    std::vector<char *> argv;
    for (auto & word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    common_params params;
    const int count = static_cast<int>(words.size());
    return common_params_parse(count, argv.data(), params, LLAMA_EXAMPLE_SERVER);
}

int main() {
    std::string line;
    for (int at = 0; std::getline(std::cin, line); ++at) {
        std::vector<std::string> words = {"llama-server"};
        std::stringstream parts(line);
        for (std::string word; std::getline(parts, word, '\t');) {
            words.push_back(word);
        }
        std::fprintf(stderr, "\n@%d\n", at);
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            dup2(STDERR_FILENO, STDOUT_FILENO);
            const bool ok = parsed(words);
            std::fflush(nullptr);
            _exit(ok ? 0 : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        std::printf("%s\n", status == 0 ? "ok" : "refused");
    }
}
