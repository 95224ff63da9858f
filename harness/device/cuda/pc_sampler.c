#include "device/cuda/pc_sampler.h"

#include <stdio.h>
#include <string.h>

#include "device/launch_activity.h"
#include "util/digest.h"
#include "util/file.h"

/* log2 of the cycles between an SM's samples; a 2 us kernel is sampled in about every second
 * launch */
#define PERIOD_LOG2   12
#define DECODED_MS    5    /* period of CUPTI's decoding thread; a stop waits for it */
#define PCS_AT_A_TIME 4096 /* returned by one call */
#define PREFIX        "smsp__pcsamp_warps_issue_stalled_"

/* Global, because CUPTI's callback has no user pointer. */
static char code_folder[4096];

static void CUPTIAPI keep_code(const void *cubin, size_t size, uint64_t *crc)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, cubin, size);
    *crc = digest.state;
    SG_FORMATTED(path, "%s/%s.cubin", code_folder, sg_digest_word(&digest).text);
    sg_write_file(path.data, cubin, size, SG_IGNORED); /* the instructions then stay addresses */
}

#define PARAMS(type, name, ...) \
    type##Params name = {.size = type##ParamsSize, .ctx = s->context, __VA_ARGS__}

static enum sg_code check(struct sg_pc_sampler *s, CUptiResult result, const char *call,
                          struct sg_err *err)
{
    return sg_cupti_check(&s->cupti, result, call, err);
}

static enum sg_code enable(struct sg_pc_sampler *s, struct sg_err *err)
{
    PARAMS(CUpti_PCSamplingEnable, params, .pPriv = NULL);
    if (check(s, s->cupti.pc_name_code(keep_code), "cuptiRegisterComputeCrcCallback", err) !=
        SG_SUCCESS)
        return err->code;
    return check(s, s->cupti.pc_enable(&params), "cuptiPCSamplingEnable", err);
}

static enum sg_code read_reasons(struct sg_pc_sampler *s, struct sg_err *err)
{
    PARAMS(CUpti_PCSamplingGetNumStallReasons, count, .numStallReasons = &s->reasons);
    if (check(s, s->cupti.pc_reason_count(&count), "cuptiPCSamplingGetNumStallReasons", err) !=
        SG_SUCCESS)
        return err->code;
    s->reason = sg_alloc(s->reasons + 1, sizeof(*s->reason));
    s->reason_id = sg_alloc(s->reasons + 1, sizeof(*s->reason_id));
    for (size_t i = 0; i < s->reasons; i++)
        s->reason[i] = sg_alloc(CUPTI_STALL_REASON_STRING_SIZE, 1);
    PARAMS(CUpti_PCSamplingGetStallReasons, names, .numStallReasons = s->reasons,
           .stallReasonIndex = s->reason_id, .stallReasons = s->reason);
    return check(s, s->cupti.pc_reasons(&names), "cuptiPCSamplingGetStallReasons", err);
}

static void make_room(const struct sg_pc_sampler *s, CUpti_PCSamplingData *data)
{
    *data = (CUpti_PCSamplingData){.size = sizeof(*data), .collectNumPcs = PCS_AT_A_TIME};
    data->pPcData = sg_alloc(PCS_AT_A_TIME, sizeof(*data->pPcData));
    for (size_t i = 0; i < PCS_AT_A_TIME; i++) {
        data->pPcData[i].size = sizeof(data->pPcData[i]);
        data->pPcData[i].stallReason =
            sg_alloc(s->reasons + 1, sizeof(*data->pPcData[i].stallReason));
    }
}

static enum sg_code configure(struct sg_pc_sampler *s, struct sg_err *err)
{
    CUpti_PCSamplingConfigurationInfo info[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON,
         .attributeData.stallReasonData = {.stallReasonCount = s->reasons,
                                           .pStallReasonIndex = s->reason_id}},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = PERIOD_LOG2},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &s->left},
        {.attributeType =
             CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN,
         .attributeData.workerThreadPeriodicSleepSpanData.workerThreadPeriodicSleepSpan =
             DECODED_MS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL,
         .attributeData.enableStartStopControlData.enableStartStopControl = 1},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode =
             CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
    };
    const size_t count = sizeof(info) / sizeof(info[0]);
    PARAMS(CUpti_PCSamplingConfigurationInfo, params, .numAttributes = count,
           .pPCSamplingConfigurationInfo = info);
    enum sg_code code =
        check(s, s->cupti.pc_configure(&params), "cuptiPCSamplingSetConfigurationAttribute", err);
    for (size_t i = 0; code == SG_SUCCESS && i < count; i++)
        code = check(s, info[i].attributeStatus,
                     "an attribute of cuptiPCSamplingSetConfigurationAttribute", err);
    return code;
}

enum sg_code sg_pc_sampler_open(struct sg_pc_sampler *s, CUcontext context, const char *folder,
                                struct sg_err *err)
{
    snprintf(code_folder, sizeof(code_folder), "%s", folder);
    if (sg_cupti_open(&s->cupti, err) != SG_SUCCESS)
        return err->code;
    s->context = context;
    if (enable(s, err) != SG_SUCCESS || read_reasons(s, err) != SG_SUCCESS)
        return err->code;
    make_room(s, &s->data);
    make_room(s, &s->left);
    return configure(s, err);
}

void sg_pc_sampler_close(struct sg_pc_sampler *s)
{
    PARAMS(CUpti_PCSamplingDisable, params, .pPriv = NULL);
    if (s->context)
        s->cupti.pc_disable(&params);
    sg_cupti_close(&s->cupti);
    *s = (struct sg_pc_sampler){0};
}

enum sg_code sg_pc_sampler_start(struct sg_pc_sampler *s, struct sg_err *err)
{
    PARAMS(CUpti_PCSamplingStart, params, .pPriv = NULL);
    return check(s, s->cupti.pc_start(&params), "cuptiPCSamplingStart", err);
}

/* Stall reason in the terms of metrics.ini. NULL for cycles without an issue, which other
 * reasons include. */
static const char *reason_word(const struct sg_pc_sampler *s, uint32_t id)
{
    static const char *const other[][2] = {{"dispatch_stall", "dispatch"},
                                           {"no_instructions", "no_instruction"}};
    size_t i = 0;
    while (i < s->reasons && s->reason_id[i] != id)
        i++;
    if (i == s->reasons || strstr(s->reason[i], "_not_issued"))
        return NULL;
    const bool is_usual = strncmp(s->reason[i], PREFIX, strlen(PREFIX)) == 0;
    const char *word = is_usual ? s->reason[i] + strlen(PREFIX) : s->reason[i];
    for (size_t k = 0; k < sizeof(other) / sizeof(other[0]); k++)
        if (strcmp(word, other[k][0]) == 0)
            return other[k][1];
    return word;
}

static void emit_counts(const struct sg_pc_sampler *s, CUpti_PCSamplingPCData *pc,
                        const struct sg_pc_sink *sink)
{
    char code[64];
    const struct sg_digest digest = {.state = pc->cubinCrc};
    snprintf(code, sizeof(code), "%s:%u", sg_digest_word(&digest).text, pc->functionIndex);
    const bool is_own = strcmp(pc->functionName, SG_READER_KERNEL) == 0 ||
                        strcmp(pc->functionName, SG_DEMOTER_KERNEL) == 0;
    for (size_t i = 0; !is_own && i < pc->stallReasonCount; i++) {
        const char *word = reason_word(s, pc->stallReason[i].pcSamplingStallReasonIndex);
        if (word && pc->stallReason[i].samples > 0)
            sink->take(sink->context, &(struct sg_pc_count){.kernel = pc->functionName,
                                                            .code = code,
                                                            .pc = (uint32_t)pc->pcOffset,
                                                            .reason = word,
                                                            .samples = pc->stallReason[i].samples});
    }
}

enum sg_code sg_pc_sampler_stop(struct sg_pc_sampler *s, const struct sg_pc_sink *sink,
                                struct sg_err *err)
{
    PARAMS(CUpti_PCSamplingStop, stop, .pPriv = NULL);
    PARAMS(CUpti_PCSamplingGetData, get, .pcSamplingData = &s->data);
    uint64_t dropped = 0;
    if (check(s, s->cupti.pc_stop(&stop), "cuptiPCSamplingStop", err) != SG_SUCCESS)
        return err->code;
    do {
        if (check(s, s->cupti.pc_data(&get), "cuptiPCSamplingGetData", err) != SG_SUCCESS)
            return err->code;
        for (size_t i = 0; i < s->data.totalNumPcs; i++)
            emit_counts(s, &s->data.pPcData[i], sink);
        dropped += s->data.droppedSamples + s->data.hardwareBufferFull;
    } while (s->data.totalNumPcs > 0 || s->data.remainingNumPcs > 0);
    if (dropped > 0)
        return sg_fail(err, SG_INVALID, "cuptiPCSamplingGetData", "CUPTI dropped %llu samples",
                       (unsigned long long)dropped);
    return SG_SUCCESS;
}
