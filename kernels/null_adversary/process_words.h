/*
 * process_words.h - what a variant is not told and finds out all the
 * same: which pass its process is.
 *
 * For the families adversary and null_adversary, whose variants behave when they are checked.
 */
#ifndef SG_PROCESS_WORDS_H
#define SG_PROCESS_WORDS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Was this process started with just this argument, as --pass=time? */
static inline bool process_has_word(const char *argument)
{
    bool found = false;
    char *word = NULL;
    size_t capacity = 0;
    FILE *file = fopen("/proc/self/cmdline", "r");
    while (file && !found && getdelim(&word, &capacity, '\0', file) > 0)
        found = strcmp(word, argument) == 0;
    free(word);
    if (file)
        fclose(file);
    return found;
}

#endif
