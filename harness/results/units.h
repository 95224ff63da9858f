/*
 * results/units.h - the GPUs that a run was measured on: units.csv of a merged run
 * (docs/formats.md).
 *
 * A plain run has one GPU, which its env.csv and processes.csv describe. A merged run has the file
 * units.csv with a row a GPU, and in run.csv a row `unit` an item, whose message is the GPU's name.
 * Unknown numbers are NaN, unknown words "".
 */
#pragma once

#include "results/env.h"
#include "results/process_log.h"
#include "results/table.h"

#define SG_UNITS_FILE  "units.csv"
#define SG_UNITS_KEY   "units" /* of env.csv of a merged run: its GPUs, joined by + */
#define SG_UNIT_METRIC "unit"  /* row of an item in a merged run: its GPU */
/* Facts of a GPU in env.csv. Runs that differ in these facts are comparable. */
#define SG_HOST_KEY  "host"
#define SG_PCI_KEY   "pci_address"
#define SG_VBIOS_KEY "vbios"

struct sg_unit {
    char name[64]; /* gpu_uuid_hash, or "unknown" */
    char host[72], pci[24], driver[32], vbios[32];
    /* number of workers of the time pass whose samples are used; number of dropped workers */
    uint64_t processes, dropped;
    struct sg_events events;       /* seen in any of them */
    double sm_clock;               /* Hz, while the drift reference `chain` ran */
    double power_w, temperature_c; /* after the last item */
    /* The drift references (results/validity.h): medians of their readings, and the robust sd of
     * one reading, relative. */
    double chain_cycles, chain_sd, copy_ns, copy_sd;
    char lost[96]; /* why it left the run; "": it did not */
    /* borrowed from the run that the reading comes from, for results/unit_health.h; not in
     * units.csv */
    const char *model, *date;
};

struct sg_units {
    struct sg_unit *items; /* owned */
    size_t count, capacity;
};
void sg_units_release(struct sg_units *units);

/* The GPU of a run; "unknown" if its env.csv does not name the GPU. */
const char *sg_unit_of(const struct sg_env *run);
/* The same for an item: in a merged run by its row `unit`. */
const char *sg_unit_of_item(const struct sg_table *run, const struct sg_env *env,
                            const char *family, const char *case_, const char *variant);
/* The GPU of a plain run. Pure. */
struct sg_unit sg_unit_make(const struct sg_env *env, const struct sg_process_log *processes);
/* Adds the GPUs of the run in a folder: those of units.csv, if it is there, else the run's own. A
 * run without processes.csv has no numbers. SG_BAD_INPUT with file and line. */
enum sg_code sg_units_of_run(const char *folder, const struct sg_env *env, struct sg_units *units,
                             struct sg_err *err);
/* Adds a GPU, or what another part of a run says of a GPU that is there: events and processes add
 * up, other numbers are means weighted by processes. */
void sg_units_join(struct sg_units *units, const struct sg_unit *unit);
struct sg_unit *sg_units_find(const struct sg_units *units, const char *name); /* or NULL */
/* Adds up processes and events. */
void sg_unit_add_counts(struct sg_unit *to, const struct sg_unit *unit);
/* Writes units.csv, sorted by name. */
enum sg_code sg_units_write(const char *folder, struct sg_units *units, struct sg_err *err);
/* The drift references of GPUs as facts of accepted numbers, and back. */
void sg_units_to_facts(const struct sg_units *units, struct sg_env *env);
void sg_units_of_facts(const struct sg_env *env, struct sg_units *units);
/* Locks a GPU against other processes of this machine until this process ends, so that no other run
 * starts between two suites: a file in /tmp, because a shared file system may not lock between
 * machines. May be called again. SG_BAD_USAGE: another process holds it. */
enum sg_code sg_unit_hold(const char *unit, struct sg_err *err);
/* The name of a simulated GPU, its host and PCI address: GPU[@HOST[/PCI]]. Its times are drawn by
 * this name too. Not set: by the number of the GPU. */
#define SG_NULL_UNIT_VARIABLE "SOLGATE_NULL_UNIT"
/* The columns of units.csv, over struct sg_unit. */
extern const struct sg_record sg_unit_record;
