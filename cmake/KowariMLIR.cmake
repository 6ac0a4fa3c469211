# Finds LLVM/MLIR 22 and defines kowari_mlir_library() for targets that include MLIR headers.
set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir CACHE PATH "")
find_package(MLIR REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Only the shared libraries: mixing in static component libraries registers options twice (docs/building.md).
add_library(kowari_mlir INTERFACE)
target_include_directories(kowari_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_include_directories(kowari_mlir INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_link_libraries(kowari_mlir INTERFACE MLIR LLVM)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS}) # mlir-tblgen takes its search path from here
