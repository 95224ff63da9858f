# rooms.awk CMakeLists.txt FILE... - checks the includes of FILEs against the rooms of
# CMakeLists.txt; run in the root of the tree. Prints a line for each fault: an include that does
# not name its room, one of a room that may not be used, one of CUDA where no CUDA may be, a room
# that stands above one it uses, a room that is said to be used and is not.

function fault(text) {
  print text
}

# solgate_room(NAME FOLDER [SOURCES file...] [USES room...])
function take_room(call,   word, count, i, list) {
  count = split(call, word, " ")
  order[word[1]] = ++rooms
  if (needs_cuda[word[1]]) cuda_folder[word[2]] = 1
  folder[word[1]] = word[2]
  for (i = 3; i <= count; i++) {
    if (word[i] == "SOURCES" || word[i] == "USES") { list = word[i]; continue }
    if (list != "USES" || word[i] ~ /^\$/) continue
    uses[word[1], word[i]] = 1
    if (!(word[i] in order)) fault("CMakeLists.txt: the room " word[1] " uses " word[i] ", which does not stand above it")
  }
}

# A room that is there with CUDA only, such as cupti, is used by way of a variable:
# set(cupti_room cupti), ${cupti_room}.
function take_rooms(file,   line, text, start, call) {
  while ((getline line < file) > 0)
    if (line !~ /^[ \t]*#/) text = text " " line
  while (match(text, /set\([a-z0-9_]*_room [a-z0-9_]*\)/)) {
    call = substr(text, RSTART, RLENGTH)
    sub(/.* /, "", call); sub(/\)/, "", call)
    needs_cuda[call] = 1
    text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
  }
  while (match(text, /solgate_room\([^)]*\)/)) {
    call = substr(text, RSTART + 13, RLENGTH - 14)
    while (match(call, /\$\{[a-z0-9_]*_room\}/)) {
      start = RSTART
      call = substr(call, 1, start - 1) substr(call, start + 2, RLENGTH - 8) substr(call, start + RLENGTH)
    }
    match(text, /solgate_room\([^)]*\)/)
    text = substr(text, RSTART + RLENGTH)
    take_room(call)
  }
}

function room_of(path,   room) {
  for (room in folder)
    if (index(path, folder[room] "/") == 1) return room
  return ""
}

function is_there(path,   line, found) {
  found = (getline line < path) >= 0
  close(path)
  return found
}

function resolve(name,   i, path) {
  for (i = 1; i <= 4; i++) {
    path = place[i] name
    if (is_there(path)) return path
  }
  return ""
}

function may_have_cuda(path,   folder) {
  for (folder in cuda_folder)
    if (index(path, folder "/") == 1) return 1
  return path ~ /^harness\/device\/cuda\// || path ~ /_cuda\.c$/
}

function check_include(from, name,   path, room, other) {
  if (name == "solgate_commit.h") return
  path = resolve(name)
  if (path == "") {
    fault(from ": expected an include that names its room, found \"" name "\"")
    return
  }
  if (may_have_cuda(path) && !may_have_cuda(from))
    fault(from ": includes " path ", which needs CUDA")
  room = room_of(from); other = room_of(path)
  if (other == "" || other == room) return
  used[room, other] = 1
  if (!((room, other) in uses)) fault(from ": the room " room " may not use " other " (" name ")")
}

function check_file(file,   line, name) {
  if (room_of(file) == "") fault(file ": stands in no room")
  while ((getline line < file) > 0) {
    if (line !~ /^[ \t]*#[ \t]*include/) continue
    name = line
    sub(/^[^<"]*[<"]/, "", name); sub(/[>"].*$/, "", name)
    if (line ~ /"/) check_include(file, name)
    else if (name ~ /^(cu(da|pti|blas|sparse|fft|rand|solver|tensor|dnn|tlass)|nv|nccl|dcgm|device_launch|driver_types)/ && !may_have_cuda(file))
      fault(file ": includes <" name ">, which needs CUDA")
  }
  close(file)
}

BEGIN {
  place[1] = "harness/"; place[2] = "metrics/"; place[3] = "kernels/"; place[4] = ""
  take_rooms(ARGV[1])
  if (rooms == 0) fault(ARGV[1] ": expected calls of solgate_room, found none")
  for (i = 2; i < ARGC; i++) check_file(ARGV[i])
  for (pair in uses) {
    split(pair, name, SUBSEP)
    if (!(pair in used)) fault("CMakeLists.txt: the room " name[1] " is said to use " name[2] ", and none of its files does")
  }
}
