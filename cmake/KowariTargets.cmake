# Flags and helper functions shared by every target.
#
# kowari_library(NAME FOLDER [DEPENDS lib...])   static library of every *.cpp directly in FOLDER
# kowari_program(NAME SOURCE... DEPENDS lib...)  program in build/bin
# kowari_unit_test(AREA DEPENDS lib...)          tests/unit/AREA/*.cpp as one GoogleTest program, unit-AREA

find_program(KOWARI_LLD ld.lld HINTS /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
if(KOWARI_LLD)
  get_filename_component(KOWARI_LLD_FOLDER ${KOWARI_LLD} DIRECTORY)
  add_link_options(-fuse-ld=lld -B${KOWARI_LLD_FOLDER})
endif()
find_program(KOWARI_CCACHE ccache)
if(KOWARI_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KOWARI_CCACHE})
endif()

# -Wrestrict: false positives of g++ 12 on std::string.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wno-restrict)
if(KOWARI_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

function(kowari_library name folder)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

function(kowari_program name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
endfunction()

function(kowari_unit_test area)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  find_package(GTest REQUIRED)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${area}/*.cpp)
  if(sources)
    add_executable(unit-${area} ${sources})
    target_link_libraries(unit-${area} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_definitions(unit-${area} PRIVATE KOWARI_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                               KOWARI_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    add_test(NAME unit-${area} COMMAND unit-${area})
  endif()
endfunction()
