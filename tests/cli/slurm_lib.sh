# shellcheck shell=sh
# shellcheck disable=SC2154 # work is of the test
# A Slurm cluster on this machine, for tests; sourced with $work, a folder of the test. All files
# are in $work/cluster. The daemons are children of the test, which waits for their end. GPUs are
# entries of the configuration: each needs a character device, which nobody opens.
slurm_pids=''

# slurm_needs: skips the test where Slurm is not installed
slurm_needs() {
  PATH=$PATH:/usr/sbin
  for program in sbatch slurmctld slurmd munged; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed; scripts/setup installs Slurm" && exit 77; }
  done
}

# slurm_start NODES GPUS: until all nodes are idle, at most 20 s
slurm_start() {
  slurm_nodes=$1 slurm=$work/cluster port=$((20000 + $$ % 10000 * 2)) user=$(id -un) host=$(hostname -s)
  mkdir "$slurm" "$slurm/state" "$slurm/munge"
  chmod 755 "$work" "$slurm"
  chmod 700 "$slurm/munge"
  slurm_configure "$2" >"$slurm/slurm.conf"
  devices=$(printf '%s\n' /dev/null /dev/zero /dev/full /dev/random | head -n "$2" | paste -sd,)
  echo "NodeName=n[1-$1] Name=gpu Type=h100 File=$devices" >"$slurm/gres.conf"
  export SLURM_CONF="$slurm/slurm.conf"
  (umask 077 && head -c 1024 /dev/urandom >"$slurm/munge/key")
  munged --foreground --force --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" --pid-file="$slurm/munge/pid" \
    --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" >"$slurm/munge/out" 2>&1 &
  slurm_pids=$!
  slurm_until 20 test -S "$slurm/munge/socket"
  slurmctld -D -c >"$slurm/slurmctld.out" 2>&1 &
  slurm_pids="$! $slurm_pids"
  for i in $(seq "$1"); do slurm_node "n$i"; done
  slurm_until 20 slurm_is_idle || {
    echo "skipped: no Slurm cluster can be started here: $(sinfo -h -N -o '%N %T %E' 2>&1; tail -n 3 "$slurm/slurmctld.log")"
    exit 77
  }
}

# slurm_configure GPUS. cred_expire: how long a task waits that begins anew; 5 s is the least.
slurm_configure() {
  cat <<CONF
ClusterName=emulated
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$slurm/munge/socket,cred_expire=5
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool-%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd-%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0,batch_sched_delay=0
ReturnToService=0
SlurmdTimeout=5
SlurmctldTimeout=5
KillWait=2
JobRequeue=1
MailProg=/bin/true
GresTypes=gpu
PartitionName=gpu Nodes=n[1-$slurm_nodes] Default=YES MaxTime=60 State=UP
CONF
  for i in $(seq "$slurm_nodes"); do
    mkdir "$slurm/spool-n$i"
    echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=10 CoresPerSocket=10 RealMemory=1000 Gres=gpu:h100:$1"
  done
}

# slurm_until SECONDS COMMAND...: true as soon as the command is
slurm_until() {
  tries=$(($1 * 20))
  shift
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.05
  done
}

slurm_is_idle() { [ "$(sinfo -h -o '%T %D' 2>/dev/null)" = "idle $slurm_nodes" ]; }

# slurm_node NODE: starts the daemon of a node
slurm_node() {
  slurmd -D -N "$1" >"$slurm/$1.out" 2>&1 &
  slurm_pids="$! $slurm_pids"
}

# slurm_return NODE: a lost node is there again
slurm_return() {
  slurm_node "$1"
  slurm_until 20 grep -q 'slurmd started' "$slurm/slurmd-$1.log"
  scontrol update NodeName="$1" State=RESUME
  slurm_until 30 slurm_is_idle
}

# slurm_lose NODE: the controller has lost the node; what runs there lives on
slurm_lose() {
  kill -9 "$(cat "$slurm/slurmd-$1.pid")"
  : >"$slurm/slurmd-$1.log"
  scontrol update NodeName="$1" State=DOWN Reason=lost
}

slurm_has_no_jobs() { [ -z "$(squeue -h 2>/dev/null)" ]; }

slurm_stop() {
  [ -n "$slurm_pids" ] || return 0
  scancel --quiet --user="$user" 2>/dev/null || true
  slurm_until 5 slurm_has_no_jobs || true
  for pid in $slurm_pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $slurm_pids; do wait "$pid" 2>/dev/null || true; done
  slurm_pids=''
}
